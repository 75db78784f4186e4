public import LupineCore
import LupineSupport

/// The line that separates the parts of a multipart, without its dashes.
public struct MultipartBoundary: Sendable, Hashable {
  /// The characters.
  public let text: String
  /// Whether a program chose it, so that a part may contain it.
  let isChosen: Bool

  /// 64 bits of the system's randomness.
  public static let systemRandom: @Sendable () -> UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Makes a boundary of 192 random bits: nobody can guess it, and no content contains it by chance.
  ///
  /// - Parameter random: 64 random bits at each call. Default: the system's.
  public init(random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom) {
    let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
    var bytes = Array("LupineBoundary-".utf8)
    for _ in 0..<3 {
      var bits = random()
      // Eleven digits of six bits hold 64.
      for _ in 0..<11 {
        bytes.append(alphabet[Int(bits & 63)])
        bits >>= 6
      }
    }
    text = String(decoding: bytes, as: UTF8.self)
    isChosen = false
  }

  /// Takes a boundary that a program chose.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` where it does not have 1 to 70 characters of RFC 2046's alphabet,
  ///   or has a space at its end.
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

  /// Whether a line of one could be taken for a line of the other.
  func isConfusable(with other: MultipartBoundary) -> Bool {
    text.hasPrefix(other.text) || other.text.hasPrefix(text)
  }
}
