public import LupineCore
import LupineSupport

/// Finds the content of a response's body that is sent in chunks (RFC 9112 section 7.1).
///
/// It is a value over bytes and knows nothing of connections. A caller hands it each piece of the body as it arrives; the
/// same elements come of the same bytes however they are cut. It refuses everything that the RFC's grammar does not allow.
public struct ChunkReader: Sendable {
  /// What a piece holds.
  public enum Element: Sendable, Hashable {
    /// Bytes of the content: where they stand in the piece. The content of one chunk may come in several elements.
    case content(Range<Int>)
    /// A line of the trailer section, with its CRLF; its field is not checked.
    case trailer([UInt8])
    /// The end of the body; the bytes behind it are no part of it.
    case end
  }

  /// What the next byte belongs to.
  private enum Place { case size, extensions, sizeLineFeed, content, contentReturn, contentLineFeed, trailers, behind }

  private var place = Place.size
  private var extensions = ChunkExtensions.blank
  private var digits = 0
  /// Bytes of the chunk's content that are still to come.
  private var rest: Int64 = 0
  /// Bytes of extensions in excess of the content's.
  private var extensionExcess = 0
  private var trailerSize = 0
  private var line: [UInt8] = []
  private let extensionLimit: Int
  private let trailerLimit: Int

  /// Makes a reader of one body.
  ///
  /// - Parameter limits: `chunkExtensions` and `trailers` are what it keeps to.
  public init(_ limits: Limits) {
    extensionLimit = limits.chunkExtensions
    trailerLimit = limits.trailers
  }

  /// Whether the end of the body was found.
  public var isFinished: Bool { place == .behind }

  /// Returns the next element of a piece and moves `position` behind it; `nil` once it needs another piece, and behind the
  /// end of the body, where `position` stays.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` or `limitExceeded`; the reader is of no use afterwards.
  public mutating func next(
    in piece: UnsafeRawBufferPointer, from position: inout Int
  ) throws(LupineError) -> Element? {
    while position < piece.count, place != .behind {
      if place == .content { return content(in: piece, from: &position) }
      let byte = piece[position]
      position += 1
      if let element = try take(byte) { return element }
    }
    return nil
  }

  private mutating func content(in piece: UnsafeRawBufferPointer, from position: inout Int) -> Element {
    let start = position
    position += Int(min(rest, Int64(piece.count - start)))
    rest -= Int64(position - start)
    extensionExcess = max(0, extensionExcess - (position - start))
    if rest == 0 { place = .contentReturn }
    return .content(start..<position)
  }

  /// Takes a byte that is no content.
  private mutating func take(_ byte: UInt8) throws(LupineError) -> Element? {
    switch place {
    case .size: try takeSize(byte)
    case .extensions: try takeExtension(byte)
    case .sizeLineFeed:
      guard byte == 0x0A else { throw MalformedChunk.lineEnd.error }
      place = rest == 0 ? .trailers : .content
    case .contentReturn:
      guard byte == 0x0D else { throw MalformedChunk.contentEnd.error }
      place = .contentLineFeed
    case .contentLineFeed:
      guard byte == 0x0A else { throw MalformedChunk.contentEnd.error }
      place = .size
      digits = 0
    case .trailers: return try takeTrailer(byte)
    case .content, .behind: break
    }
    return nil
  }

  private mutating func takeSize(_ byte: UInt8) throws(LupineError) {
    if let digit = Hexadecimal.value(of: byte) {
      digits += 1
      guard digits <= Self.mostDigits, rest <= Int64.max >> 4 else { throw MalformedChunk.largeSize.error }
      rest = rest << 4 | Int64(digit)
      return
    }
    guard digits > 0, byte == 0x0D || byte == 0x3B || byte.isBlank else { throw MalformedChunk.size.error }
    extensions = .blank
    if byte == 0x0D { place = .sizeLineFeed } else { try takeExtension(byte) }
  }

  private mutating func takeExtension(_ byte: UInt8) throws(LupineError) {
    if byte == 0x0D, extensions.mayEnd {
      place = .sizeLineFeed
      return
    }
    guard let next = extensions.next(byte) else { throw MalformedChunk.extension.error }
    place = .extensions
    extensions = next
    extensionExcess += 1
    guard extensionExcess <= extensionLimit else { throw Self.excess(of: .chunkExtensions, over: extensionLimit) }
  }

  private mutating func takeTrailer(_ byte: UInt8) throws(LupineError) -> Element? {
    line.append(byte)
    trailerSize += 1
    guard trailerSize <= trailerLimit || line == [0x0D] || line == [0x0D, 0x0A] else {
      throw Self.excess(of: .trailers, over: trailerLimit)
    }
    guard byte == 0x0A else { return nil }
    guard line.count > 1, line[line.count - 2] == 0x0D else { throw MalformedChunk.lineEnd.error }
    let whole = line
    line = []
    guard whole.count == 2 else { return .trailer(whole) }
    place = .behind
    return .end
  }

  /// 16 digits are 64 bits; a longer size could only have leading zeros.
  private static let mostDigits = 16

  private static func excess(of name: Limits.Name, over limit: Int) -> LupineError {
    LupineError(
      .limitExceeded(name), "The response exceeds \(limit), the limit \(name.rawValue); its connection is closed.")
  }
}
