import LupineCore
public import LupineFoundation
import LupineSupport

/// Encodes any `Encodable` value as a query string, `application/x-www-form-urlencoded`.
///
/// The value must encode as a keyed container: a structure, a class or a dictionary. Elements of arrays keep their
/// order. Empty arrays and objects are omitted. Values may nest 512 levels deep.
public struct URLEncodedFormEncoder: Sendable {
  /// Whether members are sorted by name.
  ///
  /// If false, the members of a dictionary are in unspecified order. Default: true.
  public var alphabetizeKeyValuePairs: Bool
  /// How the elements of an array are named.
  ///
  /// Default: `brackets`.
  public var arrayEncoding: ArrayEncoding
  /// How booleans are written.
  ///
  /// Default: `numeric`.
  public var boolEncoding: BoolEncoding
  /// How bytes are written.
  ///
  /// Default: `base64`.
  public var dataEncoding: DataEncoding
  /// How dates are written.
  ///
  /// Default: `deferredToDate`.
  public var dateEncoding: DateEncoding
  /// How names are changed.
  ///
  /// Default: `useDefaultKeys`.
  public var keyEncoding: KeyEncoding
  /// How the name of a nested member is joined to its parent's.
  ///
  /// Default: `brackets`.
  public var keyPathEncoding: KeyPathEncoding
  /// How `nil` is written.
  ///
  /// Default: `dropKey`.
  public var nilEncoding: NilEncoding
  /// How spaces are written.
  ///
  /// Default: `percentEscaped`.
  public var spaceEncoding: SpaceEncoding
  /// The characters that are not escaped.
  ///
  /// Default: `urlQueryAllowed`.
  public var allowedCharacters: AllowedCharacters

  /// Creates an encoder; the default options suit most servers.
  public init(
    alphabetizeKeyValuePairs: Bool = true, arrayEncoding: ArrayEncoding = .brackets,
    boolEncoding: BoolEncoding = .numeric, dataEncoding: DataEncoding = .base64,
    dateEncoding: DateEncoding = .deferredToDate, keyEncoding: KeyEncoding = .useDefaultKeys,
    keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
    spaceEncoding: SpaceEncoding = .percentEscaped, allowedCharacters: AllowedCharacters = .urlQueryAllowed
  ) {
    self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
    self.arrayEncoding = arrayEncoding
    self.boolEncoding = boolEncoding
    self.dataEncoding = dataEncoding
    self.dateEncoding = dateEncoding
    self.keyEncoding = keyEncoding
    self.keyPathEncoding = keyPathEncoding
    self.nilEncoding = nilEncoding
    self.spaceEncoding = spaceEncoding
    self.allowedCharacters = allowedCharacters
  }

  /// Returns the value as pairs of escaped names and values, joined with `&`.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` if the value is no keyed container or nests too deep;
  ///   otherwise what the value or a custom option throws.
  public func encode(_ value: some Encodable) throws -> String {
    let root = FormNode()
    let state = FormEncodingState(options: self)
    try FormValueEncoder(node: root, state: state, codingPath: []).encode(value)
    if let failure = state.failure { throw failure }
    guard root.kind == .object || root.kind == .nothing else {
      throw LupineError(
        .parameterEncodingFailed,
        "A URL-encoded form needs names for its values: \(type(of: value)) encodes as "
          + "\(root.kind == .array ? "an array" : "a single value"). Use a dictionary or a structure.")
    }
    var serializer = FormSerializer(options: self)
    serializer.write(root)
    return serializer.text
  }

  /// Returns the value as pairs of escaped names and values, joined with `&`, as the bytes of a body in ASCII.
  ///
  /// Name the type of the result, because another method returns the same text as a `String`:
  ///
  /// ```swift
  /// let form: Data = try URLEncodedFormEncoder().encode(["grant_type": "password"])
  /// ```
  ///
  /// - Throws: the same errors as the method that returns a `String`.
  @_disfavoredOverload  // A call that names no type gives a `String`.
  public func encode(_ value: some Encodable) throws -> Data {
    let text: String = try encode(value)
    return Data(text.utf8)
  }
}

extension URLEncodedFormEncoder {
  /// A set of ASCII characters that are not escaped in a query; all others are percent-encoded.
  public struct AllowedCharacters: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Allows the ASCII characters of a text; other characters are ignored, because a URL cannot contain them.
    public init(_ characters: String) {
      for byte in characters.utf8 where byte < 128 {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
      }
    }

    /// Returns the set with the characters of a text added.
    public func inserting(_ characters: String) -> Self {
      var copy = self
      let others = AllowedCharacters(characters)
      copy.low |= others.low
      copy.high |= others.high
      return copy
    }

    /// Returns the set without the characters of a text.
    public func removing(_ characters: String) -> Self {
      var copy = self
      let others = AllowedCharacters(characters)
      copy.low &= ~others.low
      copy.high &= ~others.high
      return copy
    }

    /// The unreserved characters (RFC 3986 section 2.3).
    public static let unreserved = AllowedCharacters(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The unreserved characters with `/` and `?`, which a query may contain (RFC 3986 section 3.4).
    public static let urlQueryAllowed = unreserved.inserting("/?")

    func contains(_ byte: UInt8) -> Bool {
      if byte < 64 { low >> UInt64(byte) & 1 == 1 } else { byte < 128 && high >> UInt64(byte - 64) & 1 == 1 }
    }
  }
}

extension URLEncodedFormEncoder.AllowedCharacters {
  /// Returns the bytes as text; bytes that are not allowed are percent-encoded.
  ///
  /// - Parameter spaceAsPlus: whether a space is written as `+`. Default: `false`.
  public func encoding(_ bytes: some Sequence<UInt8>, spaceAsPlus: Bool = false) -> String {
    var output: [UInt8] = []
    append(bytes, to: &output, spaceAsPlus: spaceAsPlus)
    return String(decoding: output, as: UTF8.self)
  }

  func append(_ bytes: some Sequence<UInt8>, to output: inout [UInt8], spaceAsPlus: Bool) {
    for byte in bytes {
      if spaceAsPlus && byte == .space {
        output.append(UInt8(ascii: "+"))
      } else if contains(byte) {
        output.append(byte)
      } else {
        PercentCoding.append(byte, to: &output)
      }
    }
  }
}
