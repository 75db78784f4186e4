import DequeModule
import Synchronization

/// Reads a file, up to the length that it had when it was opened.
///
/// Threads of `BlockingWork` read the file in blocks, one block ahead of the transport. A read copies from a block, and
/// returns `pending` if the disk has not delivered the next one.
final class FileReader: BodyReader {
  let length: Int64?
  private let path: String
  private let file: OpenFile
  private let onReady: @Sendable () -> Void
  private let readsInline = BlockingWork.runsInline
  private let state: Mutex<State>

  /// The number of bytes that a thread reads at a time.
  ///
  /// A smaller block costs more changes of threads; `Benchmarks/README.md` has the figures.
  private static let blockSize: Int64 = 512 << 10

  /// A part of the file in memory.
  fileprivate struct Block {
    var memory: [UInt8]
    /// The bytes in the memory that the transport has not read.
    var unread: Range<Int>
  }

  fileprivate struct State {
    /// The position in the file behind the blocks.
    var position: Int64
    let end: Int64
    /// The bytes that a transport can read, in order; at most two blocks.
    var blocks: Deque<Block> = []
    /// The memory of a block that was read, for the next one.
    var spareMemory: [UInt8] = []
    var isReadingBlock = false
    /// Why the next block could not be read.
    var failure: LupineError?
    /// Whether the transport waits for the next block.
    var isAwaited = false
  }

  /// Opens the file and reads its first block.
  init(
    path: String, offset: Int64, length: Int64?, onReady: @escaping @Sendable () -> Void
  ) throws(LupineError) {
    self.path = path
    self.onReady = onReady
    file = try OpenFile(reading: path)
    let size = try file.size()
    guard (0...size).contains(offset), (0...size - offset).contains(length ?? 0) else {
      throw LupineError(
        .bodyFailed, "The file \(path) has \(size) bytes and lacks bytes that the request's body names.")
    }
    let count = length ?? size - offset
    self.length = count
    state = Mutex(State(position: offset, end: offset + count))
    if count > 0 { readBlock() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let (read, mustRead) = try state.withLock { (state) throws(LupineError) in
      let read = try state.read(into: buffer)
      return (read, state.beginsBlock())
    }
    guard mustRead else { return read }
    guard readsInline else {
      BlockingWork.start { [self] in readBlock() }
      return read
    }
    readBlock()
    return read == .pending ? try self.read(into: buffer) : read
  }

  func cancel() {}

  /// Reads the next block; no other thread does so at the same time.
  private func readBlock() {
    let (position, count, memory) = state.withLock { state in
      (state.position, Int(min(Self.blockSize, state.end - state.position)), state.takeMemory())
    }
    let block = Result { () throws(LupineError) in try read(count, at: position, in: memory) }
    if state.withLock({ $0.add(block) }) { onReady() }
  }

  private func read(
    _ count: Int, at position: Int64, in memory: consuming [UInt8]
  ) throws(LupineError) -> Block {
    if memory.count < count { memory = [UInt8](repeating: 0, count: count) }
    let result = memory.withUnsafeMutableBytes { space in
      Result { () throws(LupineError) in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: space[..<count]), at: position)
      }
    }
    let found = try result.get()
    guard found > 0 else {
      throw LupineError(.bodyFailed, "The file \(path) became shorter while it was being sent.")
    }
    return Block(memory: memory, unread: 0..<found)
  }
}

extension FileReader.State {
  fileprivate mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    guard !blocks.isEmpty else {
      if let failure { throw failure }
      isAwaited = position < end
      return isAwaited ? .pending : .end
    }
    let count = blocks[0].read(into: buffer)
    if blocks[0].unread.isEmpty { spareMemory = blocks.removeFirst().memory }
    return .bytes(count)
  }

  fileprivate mutating func takeMemory() -> [UInt8] {
    let memory = spareMemory
    spareMemory = []
    return memory
  }

  /// Whether a thread must read the next block from now on.
  fileprivate mutating func beginsBlock() -> Bool {
    guard !isReadingBlock, blocks.count < 2, position < end, failure == nil else { return false }
    isReadingBlock = true
    return true
  }

  /// Adds the block that a thread has read; returns whether the transport waits for it.
  fileprivate mutating func add(_ block: Result<FileReader.Block, LupineError>) -> Bool {
    isReadingBlock = false
    switch block {
    case .success(let block):
      position += Int64(block.unread.count)
      blocks.append(block)
    case .failure(let error): failure = error
    }
    defer { isAwaited = false }
    return isAwaited
  }
}

extension FileReader.Block {
  /// Copies the next bytes to the front of the buffer; returns their number.
  fileprivate mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let next = unread.prefix(buffer.count)
    memory.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[next])) }
    unread = next.upperBound..<unread.upperBound
    return next.count
  }
}
