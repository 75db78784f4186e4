public import LupineCore
import LupineSupport

/// Decodes a chunked response body (RFC 9112 section 7.1).
///
/// The reader works on bytes and has no connection. The caller passes each piece of the body as it arrives. The content
/// and the trailers do not depend on how the body is split into pieces. The reader rejects everything that the RFC's
/// grammar does not allow. It copies no content: an element refers to bytes of the piece.
///
/// ```swift
/// var reader = ChunkReader(Limits())
/// var content: [UInt8] = []
/// for piece in ["5\r\nhe", "llo\r\n0\r\n", "\r\n"].map({ Array($0.utf8) }) {
///   var position = 0
///   try piece.withUnsafeBytes { bytes in
///     while let element = try reader.next(in: bytes, from: &position) {
///       if case .content(let range) = element { content += bytes[range] }
///     }
///   }
///   if position < piece.count { print("Bytes follow the body; its connection must be closed.") }
/// }
/// guard reader.isFinished else { throw LupineError(.connectionLost, "The connection ended within the body.") }
/// ```
///
/// The reader does not see the connection, so the caller does the following:
///
/// - It treats the body as incomplete if the connection ends before `isFinished`.
/// - It closes the connection after an error, and if bytes follow the end of the body.
/// - It validates the trailers (RFC 9110 section 6.5). They are no fields of the head.
public struct ChunkReader: Sendable {
  /// An element of the body.
  public enum Element: Sendable, Hashable {
    /// A range of content bytes in the piece; the content of one chunk may be split into several elements.
    case content(Range<Int>)
    /// A field line of the trailer section, with its CRLF; neither its name nor its value is validated.
    case trailer([UInt8])
    /// The end of the body; later bytes are not part of it.
    case end
  }

  /// The part of the syntax that the next byte belongs to.
  private enum Place { case size, extensions, sizeLineFeed, content, contentReturn, contentLineFeed, trailers, behind }

  private var place = Place.size
  private var extensions = ChunkExtensions.behindSize
  private var digits = 0
  /// The remaining bytes of the chunk's content.
  private var rest: Int64 = 0
  /// The number of bytes of extensions in excess of the bytes of content.
  private var extensionExcess = 0
  private var trailerSize = 0
  private var line: [UInt8] = []
  private let extensionLimit: Int
  private let trailerLimit: Int
  private var tolerances: ToleranceRecord

  /// Creates a reader for one body.
  ///
  /// - Parameters:
  ///   - limits: the reader applies `chunkExtensions` and `trailers`.
  ///   - tolerances: the reader applies `spaceAfterChunkSize`, and `bareLineFeeds` to trailers. Default: none.
  public init(_ limits: Limits, tolerating tolerances: ResponseTolerances = []) {
    extensionLimit = limits.chunkExtensions
    trailerLimit = limits.trailers
    self.tolerances = ToleranceRecord(allowed: tolerances)
  }

  /// The tolerances that the body has needed so far.
  public var tolerated: ResponseTolerances { tolerances.used }

  /// Whether the end of the body has been found.
  public var isFinished: Bool { place == .behind }

  /// Returns the next element of a piece and moves `position` past it; `nil` if another piece is necessary.
  ///
  /// After the end of the body it returns `nil`, and `position` does not change.
  ///
  /// - Throws: `LupineError` of kind `malformedResponse` or `limitExceeded`; the reader cannot be used after an error.
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

  /// Processes a byte that is not content.
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
    extensions = .behindSize
    if byte == 0x0D { place = .sizeLineFeed } else { try takeExtension(byte) }
  }

  private mutating func takeExtension(_ byte: UInt8) throws(LupineError) {
    if byte == 0x0D, extensions == .behindSize { try tolerances.accept(MalformedChunk.space) }
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
    guard trailerSize <= trailerLimit || line == [0x0D] || line == [0x0D, 0x0A] || line == [0x0A] else {
      throw Self.excess(of: .trailers, over: trailerLimit)
    }
    guard byte == 0x0A else { return nil }
    let hasReturn = line.count > 1 && line[line.count - 2] == 0x0D
    if !hasReturn { try tolerances.accept(MalformedChunk.trailerLineEnd) }
    let whole = line
    line = []
    guard whole.count == (hasReturn ? 2 : 1) else { return .trailer(whole) }
    place = .behind
    return .end
  }

  /// The maximum number of hexadecimal digits in a size; 16 digits represent 64 bits.
  private static let mostDigits = 16

  private static func excess(of name: Limits.Name, over limit: Int) -> LupineError {
    LupineError(
      .limitExceeded(name), "The response exceeds \(limit), the limit \(name.rawValue); its connection is closed.")
  }
}

/// The state of a reader within the extensions of a chunk (RFC 9112 section 7.1.1).
enum ChunkExtensions {
  /// In white space after the size; a semicolon must follow.
  case behindSize
  /// In white space after a complete extension; a semicolon must follow.
  case blank
  /// Before a name, which must follow.
  case beforeName
  case name
  /// In white space after a name.
  case behindName
  /// Before a value, which must follow.
  case beforeValue
  /// In a value that is a token.
  case token
  /// In a quoted string.
  case quoted
  /// After a backslash in a quoted string.
  case escaped
  /// After a quoted string.
  case behindQuotes

  /// Whether the extensions may end in this state.
  ///
  /// For `behindSize` the reader has checked `spaceAfterChunkSize` before.
  var mayEnd: Bool { self == .behindSize || self == .name || self == .token || self == .behindQuotes }

  /// Returns the state after this byte; `nil` if the grammar does not allow the byte.
  func next(_ byte: UInt8) -> Self? {
    switch self {
    case .behindSize: byte == 0x3B ? .beforeName : byte.isBlank ? self : nil
    case .blank, .behindQuotes: Self.separator(byte)
    case .beforeName: byte.isBlank ? self : byte.isTokenByte ? .name : nil
    case .name, .behindName: nextInName(byte)
    case .beforeValue: byte.isBlank ? self : byte == 0x22 ? .quoted : byte.isTokenByte ? .token : nil
    case .token: byte.isTokenByte ? .token : Self.separator(byte)
    case .quoted: byte == 0x22 ? .behindQuotes : byte == 0x5C ? .escaped : byte.isFieldByte ? .quoted : nil
    case .escaped: byte.isFieldByte ? .quoted : nil
    }
  }

  private func nextInName(_ byte: UInt8) -> Self? {
    if byte == 0x3D { return .beforeValue }
    if byte == 0x3B { return .beforeName }
    if byte.isBlank { return .behindName }
    return self == .name && byte.isTokenByte ? .name : nil
  }

  private static func separator(_ byte: UInt8) -> Self? { byte == 0x3B ? .beforeName : byte.isBlank ? .blank : nil }
}

/// The violations of the chunked coding.
enum MalformedChunk: String, Violation {
  case size = "the size of a chunk is not a hexadecimal number"
  case largeSize = "the size of a chunk has more than 16 digits or more than 63 bits"
  case `extension` = "an extension of a chunk violates the grammar"
  case space = "white space follows the size of a chunk"
  case lineEnd = "a line among the chunks does not end with CRLF"
  case trailerLineEnd = "a line of the trailer section ends with LF alone"
  case contentEnd = "the content of a chunk is not followed by CRLF"

  var tolerance: ResponseTolerances? {
    switch self {
    case .space: .spaceAfterChunkSize
    case .trailerLineEnd: .bareLineFeeds
    default: nil
    }
  }
}
