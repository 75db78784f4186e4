import LupineFoundation

/// The bytes of a body that wait for its observers, its stages or its file.
///
/// The consumer takes them out as a `BodyWork`, processes them without a lock, and puts the work back.
struct BodyProcessing: Sendable {
  /// The number of waiting bytes at which the transport pauses.
  private static let window = 256 << 10

  /// Whether the body goes to a file.
  let hasFile: Bool
  /// The bytes as they arrived.
  var raw: [UInt8] = []
  /// `nil` while the consumer processes bytes.
  private var processor: BodyProcessor?
  /// Whether the work that was taken last has the end of the body.
  private var hasTakenEnd = false

  /// - Parameter early: the bytes that arrived before the sink was known.
  init(_ sink: BodySink, early: Data) throws(LupineError) {
    let processor = try BodyProcessor(sink)
    hasFile = processor.hasFile
    self.processor = processor
    raw.append(contentsOf: early)
  }

  /// Whether the consumer processes bytes.
  var isRunning: Bool { processor == nil }

  /// Whether the transport must pause.
  var isFull: Bool { raw.count >= Self.window }

  /// Whether there is work: bytes, or the end of the body.
  func canBeTaken(before end: BodyChannelState.End?) -> Bool {
    guard let processor else { return false }
    return !raw.isEmpty || processor.isBehind || (end != nil && !hasTakenEnd)
  }

  /// Takes the work out; `nil` if there is none.
  mutating func take(before end: BodyChannelState.End?, _ tees: [BodyTee]) -> BodyWork? {
    guard canBeTaken(before: end), let processor = processor.take() else { return nil }
    let isLast = raw.isEmpty && !processor.isBehind
    hasTakenEnd = isLast && end != nil
    return BodyWork(
      processor: processor, tees: tees, bytes: exchange(&raw, with: []), end: isLast ? end : nil)
  }

  mutating func putBack(_ work: consuming BodyWork) {
    // Reuses the memory, because a new allocation costs a page fault for each page.
    if raw.isEmpty {
      raw = work.bytes
      raw.removeAll(keepingCapacity: true)
    }
    processor = work.processor
  }

  /// Closes the file.
  func close() { processor?.close() }

  /// Drops the waiting bytes.
  mutating func abandon() {
    raw = []
    processor?.abandon()
  }
}

/// Bytes that the consumer processes without a lock.
struct BodyWork: Sendable {
  var processor: BodyProcessor
  fileprivate let tees: [BodyTee]
  fileprivate let bytes: [UInt8]
  /// The end that the transport reported, if no bytes are left before it.
  fileprivate let end: BodyChannelState.End?

  /// Whether no bytes are left.
  var isLast: Bool { end != nil }

  /// Whether the work may wait for a disk or for an observer.
  var mayBlock: Bool { processor.hasFile || !tees.isEmpty }

  /// Processes the bytes; returns the work to put back, and the error of a stage, the file or a limit.
  ///
  /// It blocks while a file is written and while an observer works.
  ///
  /// - Parameter store: takes a piece for memory, and returns whether there is room for more.
  func result(store: BodyProcessor.Store) -> (work: BodyWork, error: LupineError?) {
    var work = self
    for tee in tees { tee.pass(bytes) }
    do throws(LupineError) {
      try work.processor.process(bytes, into: store)
      if case .success = end { try work.processor.finish(into: store) }
      if let end { for tee in tees { tee.finish(end) } }
      return (work, nil)
    } catch {
      for tee in tees { tee.finish(.failure(error)) }
      return (work, error)
    }
  }
}

/// The stages of a body, and the file that it is written to.
struct BodyProcessor: Sendable {
  typealias Store = (UnsafeRawBufferPointer) throws(LupineError) -> Bool

  /// The maximum number of coded bytes per decoding step.
  ///
  /// It bounds what a decompression bomb can add beyond the window.
  private static let slice = 1_024

  private let stages: [any BodyTransformer]
  private let file: FileOutput?
  /// Bytes that wait because their destination has no room.
  private var behind: ArraySlice<UInt8> = []
  /// The number of bytes that were written to the file.
  private(set) var byteCount: Int64 = 0
  /// The number of bytes of the body, before decoding, that have been processed.
  private(set) var consumed: Int64 = 0

  init(_ sink: BodySink) throws(LupineError) {
    stages = sink.stages
    file =
      if case .file(let descriptor, let offset, let limit) = sink.destination {
        try FileOutput(descriptor, from: offset, limit: limit)
      } else {
        nil
      }
  }

  var hasFile: Bool { file != nil }

  /// Whether some bytes wait because their destination has no room.
  var isBehind: Bool { !behind.isEmpty }

  mutating func abandon() { behind = [] }

  fileprivate func close() { file?.close() }

  fileprivate mutating func process(_ bytes: [UInt8], into store: Store) throws(LupineError) {
    consumed += Int64(bytes.count)
    if behind.isEmpty { behind = bytes[...] } else { behind += bytes }
    var hasRoom = true
    while !behind.isEmpty, hasRoom {
      let size = stages.isEmpty ? behind.count : min(Self.slice, behind.count)
      let slice = behind.prefix(size)
      behind = behind.dropFirst(size)
      hasRoom = try pass(slice, into: store)
    }
  }

  private mutating func pass(_ slice: ArraySlice<UInt8>, into store: Store) throws(LupineError) -> Bool {
    var hasRoom = true
    var count = byteCount
    try slice.withUnsafeBufferPointer { (bytes) throws(LupineError) in
      try stages[...].pass(UnsafeRawBufferPointer(bytes)) { (piece) throws(LupineError) in
        hasRoom = try put(piece, &count, store)
      }
    }
    byteCount = count
    return hasRoom
  }

  /// Passes on what the stages still hold at the end of the body.
  fileprivate mutating func finish(into store: Store) throws(LupineError) {
    var count = byteCount
    try stages[...].finish { (piece) throws(LupineError) in _ = try put(piece, &count, store) }
    byteCount = count
  }

  private func put(
    _ piece: UnsafeRawBufferPointer, _ count: inout Int64, _ store: Store
  ) throws(LupineError) -> Bool {
    guard let file else { return try store(piece) }
    count += Int64(piece.count)
    try file.write(piece, upTo: count)
    return true
  }
}

extension ArraySlice<any BodyTransformer> {
  /// Passes bytes through the stages, in order.
  func pass(_ bytes: UnsafeRawBufferPointer, into output: BodyTransformer.Output) throws(LupineError) {
    guard let stage = first else { return try output(bytes) }
    try stage.transform(bytes) { (piece) throws(LupineError) in try dropFirst().pass(piece, into: output) }
  }

  /// Ends the stages, in order, and passes on what each still holds.
  func finish(into output: BodyTransformer.Output) throws(LupineError) {
    guard let stage = first else { return }
    try stage.finish { (piece) throws(LupineError) in try dropFirst().pass(piece, into: output) }
    try dropFirst().finish(into: output)
  }
}

extension LupineError {
  /// Whether this side ended the body, so that the rest is decoded only for a file.
  ///
  /// After any other failure the rest is decoded for a stream, a file or an observer.
  var endsBodyLocally: Bool {
    switch kind {
    case .cancelled, .timedOut, .sessionShutDown: true
    default: false
    }
  }
}
