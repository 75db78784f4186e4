public import LupineCore
import LupineFoundation
import LupineSupport

/// A block of lines of a cassette's file.
public struct CassetteBlock: Sendable {
  /// The value of a block.
  public enum Content: Sendable, Hashable {
    /// The first block of a file.
    case header(Cassette.Header)
    /// Each further block.
    case entry(Cassette.Entry)
  }

  /// The value that the block describes.
  public let content: Content
  /// The lines as they stand in the file, with the line feed at the end and without the empty line after it.
  public let bytes: [UInt8]
  /// The number of the first line in the file, from 1.
  public let line: Int
}

/// Reads the blocks of a cassette's file, piece by piece.
///
/// It accepts files from anywhere. A file that violates the format, or that exceeds a limit, is an error of kind
/// `invalidCassette` with its line. The division of the input into pieces has no effect.
public struct CassetteReader: Sendable {
  /// The maximum number of bytes of a line, with its continuation lines: 16 MiB.
  public static let maximumLineLength = 16 << 20
  /// The maximum number of bytes of a file: 256 MiB.
  public static let maximumLength = 256 << 20
  /// The maximum number of exchanges in a file.
  public static let maximumEntryCount = 100_000

  private let path: String
  private var length = 0
  private var entryCount = 0
  /// The number of the physical line that is read, from 1.
  private var lineNumber = 1
  /// The physical line so far.
  private var physical: [UInt8] = []
  /// The line with its continuation lines so far; empty if none has begun.
  private var logical: [UInt8] = []
  private var logicalStart = 1
  /// The block so far; empty if none has begun.
  private var block: [UInt8] = []
  private var blockStart = 1
  private var parser = BlockParser()
  /// Whether the last line had a fault at its end.
  private var isCutOff = false

  /// Creates a reader at the beginning of a file.
  ///
  /// - Parameter path: the name of the file in errors.
  public init(path: String) { self.path = path }

  /// Reads the next bytes of the file; returns the blocks that end in them.
  ///
  /// - Throws: `LupineError` of kind `invalidCassette`. The reader must not be used afterwards.
  public mutating func read(_ bytes: some Collection<UInt8>) throws(LupineError) -> [CassetteBlock] {
    length += bytes.count
    guard length <= Self.maximumLength else {
      throw error("the file has more than \(Self.maximumLength >> 20) MiB")
    }
    let piece = Array(bytes)
    var blocks: [CassetteBlock] = []
    var start = 0
    while let feed = piece.withUnsafeBytes({ $0.position(of: 0x0A, from: start) }) {
      try extend(with: piece[start...feed])
      if let block = try endLine() { blocks.append(block) }
      start = feed + 1
    }
    try extend(with: piece[start...])
    return blocks
  }

  /// Ends the file; returns its last block, unless an empty line ended it.
  ///
  /// - Parameter allowingTruncation: whether a last block that is not complete is left out and not an error, as in the
  ///   file of a recording whose process was killed. Default: `false`.
  /// - Throws: `LupineError` of kind `invalidCassette`.
  public mutating func finish(allowingTruncation: Bool = false) throws(LupineError) -> CassetteBlock? {
    if allowingTruncation, !physical.isEmpty { return nil }
    if !physical.isEmpty {
      try extend(with: [0x0A])
      if let block = try endLine() { return block }
    }
    guard allowingTruncation else { return try endBlock() }
    do throws(LupineError) {
      try endLogicalLine()
    } catch {
      // The line ends before its value does, as a line that lacks its continuation.
      if isCutOff { return nil }
      throw error
    }
    return parser.isComplete ? try endBlock() : nil
  }

  private mutating func extend(with bytes: ArraySlice<UInt8>) throws(LupineError) {
    guard physical.count + logical.count + bytes.count <= Self.maximumLineLength else {
      throw error("the line has more than \(Self.maximumLineLength >> 20) MiB")
    }
    physical += bytes
  }

  /// Ends a physical line, which has its line feed.
  private mutating func endLine() throws(LupineError) -> CassetteBlock? {
    defer {
      physical = []
      lineNumber += 1
    }
    if physical == [0x0A] || physical == [0x0D, 0x0A] { return try endBlock() }
    if physical[0] == .space || physical[0] == 0x09 {
      guard !logical.isEmpty else { throw error("the line begins with a blank, but continues no line") }
    } else {
      try endLogicalLine()
      logicalStart = lineNumber
    }
    if block.isEmpty { blockStart = lineNumber }
    block += physical
    logical += physical
    return nil
  }

  private mutating func endLogicalLine() throws(LupineError) {
    guard !logical.isEmpty else { return }
    while let last = logical.last, last == 0x0A || last == 0x0D { logical.removeLast() }
    do throws(CassetteLine.Fault) {
      try parser.add(logical)
    } catch {
      isCutOff = error.position >= logical.count
      throw self.error(error)
    }
    logical = []
  }

  private mutating func endBlock() throws(LupineError) -> CassetteBlock? {
    try endLogicalLine()
    guard !block.isEmpty else { return nil }
    let content: CassetteBlock.Content
    do throws(CassetteLine.Fault) {
      content = try parser.content()
    } catch {
      throw .invalidCassette(path, line: blockStart, error.reason)
    }
    if case .entry = content { entryCount += 1 }
    guard entryCount <= Self.maximumEntryCount else {
      throw error("the file has more than \(Self.maximumEntryCount) exchanges")
    }
    defer {
      block = []
      parser = BlockParser()
    }
    return CassetteBlock(content: content, bytes: block, line: blockStart)
  }

  private func error(_ reason: String) -> LupineError { .invalidCassette(path, line: lineNumber, reason) }

  /// The error for a fault in the current line.
  private func error(_ fault: CassetteLine.Fault) -> LupineError {
    if let version = fault.newerVersion { return .newerCassette(path, version) }
    let feeds = logical.prefix(fault.position).count { $0 == 0x0A }
    return .invalidCassette(path, line: logicalStart + feeds, fault.reason)
  }
}
