public import LupineCore
import LupineSupport

/// The boundary of a multipart, without the dashes of its delimiters.
public struct MultipartBoundary: Sendable, Hashable {
  /// The characters of the boundary.
  public let text: String
  /// Whether the program chose the boundary, so that a part may contain it.
  let isChosen: Bool

  /// Returns 64 random bits from the system's generator; may be called from any thread.
  public static let systemRandom: @Sendable () -> UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Creates a boundary of 192 random bits, which no content contains by chance.
  ///
  /// - Parameter random: returns 64 random bits at each call. Default: the system's generator.
  public init(random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom) {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
    var bytes = Array("LupineBoundary-".utf8)
    for _ in 0..<3 {
      var bits = random()
      // Eleven digits of 6 bits hold 64 bits.
      for _ in 0..<11 {
        bytes.append(alphabet[Int(bits & 63)])
        bits >>= 6
      }
    }
    text = String(decoding: bytes, as: UTF8.self)
    isChosen = false
  }

  /// Creates a boundary from the program's text.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if the text does not have 1 to 70 characters of RFC 2046's
  ///   alphabet, or has a space at the end.
  public init(_ text: String) throws(LupineError) {
    guard (1...70).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed), text.utf8.last != 0x20 else {
      throw LupineError(
        .invalidRequest,
        "\"\(text.escapingControls(limit: 70))\" cannot be a multipart boundary: RFC 2046 allows 1 to 70 letters, "
          + "digits, '()+_,-./:=? and spaces, with no space at the end.")
    }
    self.text = text
    isChosen = true
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "'()+_,-./:=? ".utf8.contains(byte)
    }
  }

  /// Whether a delimiter of one boundary could be taken for a delimiter of the other.
  func isConfusable(with other: MultipartBoundary) -> Bool {
    text.hasPrefix(other.text) || other.text.hasPrefix(text)
  }
}

/// Finds the delimiter of a multipart's parts, with the line break before it.
struct DelimiterSearch: Sendable {
  /// CR, LF, two dashes, and the boundary.
  ///
  /// It contains no other CR, so a search never goes back.
  let delimiter: [UInt8]

  init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

  /// Returns the first delimiter, or a prefix of one at the end of the bytes: its position, and the number of bytes
  /// matched.
  func first(in bytes: UnsafeRawBufferPointer) -> (position: Int, matched: Int)? {
    var position = 0
    while let found = bytes.position(of: 0x0D, from: position) {
      position = found
      let room = min(delimiter.count, bytes.count - position)
      var matched = 1
      while matched < room, bytes[position + matched] == delimiter[matched] { matched += 1 }
      if matched == room { return (position, matched) }
      position += matched
    }
    return nil
  }
}
