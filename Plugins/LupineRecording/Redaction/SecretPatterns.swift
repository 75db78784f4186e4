import LupineFoundation
import LupineSupport

/// The texts that may not stand in a recording: each secret value as it is and in base64, and the marks of private keys.
///
/// A search finds the last bytes of a pattern by a hash and compares the rest backwards, so that it keeps no more than the
/// last bytes of a text.
struct SecretPatterns: Sendable {
  /// The minimum length of a value that is searched for: shorter ones occur by chance.
  static let minimumLength = 6
  /// The number of bytes of a longer value that are searched for.
  static let maximumLength = 256

  struct Pattern: Sendable {
    let bytes: [UInt8]
    /// A description of what the text is, such as `the value of the request's field Cookie`.
    let meaning: String
  }

  private var patterns: [Pattern] = []
  private var byEnd: [UInt64: [Int]] = [:]
  /// One bit for each hash of the last bytes of a pattern.
  private var filter = [UInt64](repeating: 0, count: 1024)
  private var known: Set<[UInt8]> = []

  init() {
    for mark in ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"] { insert(Array(mark.utf8), "a private key in PEM") }
  }

  /// Adds a secret value; one that is too short is ignored.
  mutating func add(_ value: [UInt8], place: String) {
    guard value.count >= Self.minimumLength else { return }
    let start = Array(value.prefix(Self.maximumLength))
    let meaning = "the value of \(place)"
    insert(start, meaning)
    if start.contains(.space) { insert(start.map { $0 == .space ? UInt8(ascii: "+") : $0 }, "\(meaning), form-coded,") }
    for text in Self.base64(start) { insert(text, "\(meaning), in base64,") }
  }

  private mutating func insert(_ bytes: [UInt8], _ meaning: String) {
    guard bytes.count >= Self.minimumLength, known.insert(bytes).inserted else { return }
    let key = bytes.suffix(Self.minimumLength).reduce(0) { Self.key($0, adding: $1) }
    byEnd[key, default: []].append(patterns.count)
    let bit = Self.hash(key)
    filter[bit >> 6] |= 1 << UInt64(bit & 63)
    patterns.append(Pattern(bytes: bytes, meaning: meaning))
  }

  /// The characters that a value has in base64 and in its URL-safe variant, wherever it begins in a longer text.
  static func base64(_ value: [UInt8]) -> [[UInt8]] {
    (0..<3).flatMap { offset -> [[UInt8]] in
      let text = Data([UInt8](repeating: 0, count: offset) + value).base64EncodedString().utf8
      // The first characters depend on the bytes before the value, and the last one on those behind it.
      let whole = (offset + value.count) * 8 / 6
      let characters = Array(text.prefix(whole).dropFirst(offset == 0 ? 0 : offset + 1))
      let urlSafe = characters.map { byte -> UInt8 in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case .slash: UInt8(ascii: "_")
        default: byte
        }
      }
      return characters == urlSafe ? [characters] : [characters, urlSafe]
    }
  }

  /// The last bytes of a text after one more byte.
  @inline(__always)
  static func key(_ key: UInt64, adding byte: UInt8) -> UInt64 { (key << 8 | UInt64(byte)) & 0xFFFF_FFFF_FFFF }

  @inline(__always)
  private static func hash(_ key: UInt64) -> Int { Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 48) }

  /// A fast test of each byte of a text; a slower one examines the places that pass it.
  struct Filter {
    fileprivate let bits: UnsafeBufferPointer<UInt64>
    fileprivate let tokenBytes: UnsafeBufferPointer<Bool>

    /// Whether a pattern may end with these bytes.
    @inline(__always)
    func mayEnd(_ key: UInt64) -> Bool {
      let bit = SecretPatterns.hash(key)
      return bits[bit >> 6] & 1 << UInt64(bit & 63) != 0
    }

    /// Whether the byte can belong to a token of a known shape.
    @inline(__always)
    func isTokenByte(_ byte: UInt8) -> Bool { tokenBytes[Int(byte)] }
  }

  private static let tokenBytes = (0...UInt8.max).map(TokenShape.isTokenByte)

  func withUnsafeFilter<Value>(_ use: (Filter) -> Value) -> Value {
    filter.withUnsafeBufferPointer { bits in
      Self.tokenBytes.withUnsafeBufferPointer { use(Filter(bits: bits, tokenBytes: $0)) }
    }
  }

  /// Whether a pattern ends with these bytes.
  func ends(with key: UInt64) -> Bool { byEnd[key] != nil }

  /// Returns the pattern that a text ends with.
  func match(_ key: UInt64, _ text: ArraySlice<UInt8>) -> Pattern? {
    byEnd[key]?.lazy.map { patterns[$0] }.first { pattern in
      text.count >= pattern.bytes.count && text.suffix(pattern.bytes.count).elementsEqual(pattern.bytes)
    }
  }
}
