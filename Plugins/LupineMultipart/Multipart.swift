public import HTTPTypes
public import LupineCore
import LupineSupport

/// A body of several parts in sequence, of any multipart type (RFC 2046 section 5.1).
///
/// A multipart describes a body: the parts are read while the body is sent, and are not collected in memory. It can be
/// sent any number of times unless a part is a one-shot stream. The first invalid part, such as one with a line break
/// in its content type, is an error that `asBody()` throws.
public struct Multipart: Sendable {
  /// The relation of the parts to each other.
  public let subtype: Subtype
  /// The parts, in the order in which they are sent.
  public private(set) var parts: [MultipartPart] = []
  let separator: MultipartBoundary
  private let parameters: [(name: String, value: String)]
  private(set) var problem: LupineError?

  /// Creates an empty multipart with a boundary of 192 random bits.
  ///
  /// - Parameters:
  ///   - subtype: the relation of the parts to each other. Default: `mixed`.
  ///   - parameters: the parameters of the content type besides `boundary`, such as `start` for `related` (RFC 2387).
  ///   - random: returns 64 random bits at each call. Default: the system's generator.
  public init(
    _ subtype: Subtype = .mixed, parameters: [(name: String, value: String)] = [],
    random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom
  ) {
    self.init(subtype, parameters, MultipartBoundary(random: random))
  }

  /// Creates an empty multipart with the caller's boundary.
  ///
  /// `asBody()` throws if bytes in memory contain the boundary. Files and streams are not searched for it; the caller
  /// must choose a boundary that they do not contain.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if RFC 2046 does not allow the boundary: it has 1 to 70
  ///   characters of a restricted alphabet, and no space at the end.
  public init(
    _ subtype: Subtype = .mixed, boundary: String, parameters: [(name: String, value: String)] = []
  ) throws(LupineError) {
    self.init(subtype, parameters, try MultipartBoundary(boundary))
  }

  private init(_ subtype: Subtype, _ parameters: [(name: String, value: String)], _ separator: MultipartBoundary) {
    self.subtype = subtype
    self.parameters = parameters
    self.separator = separator
    for parameter in parameters where !MediaTypeText.isParameter(parameter) {
      fail("The parameter \"\(parameter.name.escapingControls())\" of a multipart's content type is not valid.")
    }
  }

  /// The delimiter between the parts, without its dashes.
  public var boundary: String { separator.text }

  /// The value of the `Content-Type` field, with the boundary.
  public var contentType: String {
    let all = [(name: "boundary", value: boundary)] + parameters
    return "multipart/\(subtype.rawValue)" + all.map { "; \($0.name)=\($0.value.tokenOrQuotedString)" }.joined()
  }

  /// Appends a part.
  public mutating func append(_ part: MultipartPart) {
    parts.append(part)
    if let reason = part.problem { fail("Part \(parts.count) of the multipart body: \(reason)") }
  }

  /// Appends a part that consists of a body and the fields that describe it.
  public mutating func append(_ body: RequestBody, headers: HTTPFields = [:]) {
    append(MultipartPart(body, headers: headers))
  }

  /// Appends text in UTF-8, with the content type `text/plain; charset=utf-8` unless the headers contain one.
  public mutating func append(_ text: String, headers: HTTPFields = [:]) {
    var headers = headers
    if headers[.contentType] == nil { headers[.contentType] = "text/plain; charset=utf-8" }
    append(MultipartPart(.text(text), headers: headers))
  }

  /// Appends a multipart as one part.
  public mutating func append(_ multipart: Multipart, headers: HTTPFields = [:]) {
    append(MultipartPart(multipart, headers: headers))
  }

  /// Appends a range of a representation, with its `Content-Range` field (RFC 9110 section 14.6).
  ///
  /// `asBody()` throws if the range is empty or not within the representation.
  ///
  /// - Parameters:
  ///   - range: the positions of the range's bytes in the representation.
  ///   - total: the length of the representation in bytes; `nil` if it is unknown.
  public mutating func append(_ body: RequestBody, range: Range<Int64>, of total: Int64?, headers: HTTPFields = [:]) {
    let isValidRange = range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= total ?? .max
    var headers = headers
    if isValidRange {
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }
    append(MultipartPart(body, headers: headers))
    if !isValidRange {
      let whole = total.map { "\($0) bytes" } ?? "a whole"
      fail("Part \(parts.count) of the multipart body: the range \(range) is not within \(whole).")
    }
  }

  /// Stores the first error, which `asBody()` throws.
  mutating func fail(_ error: LupineError) {
    if problem == nil { problem = error }
  }

  private mutating func fail(_ message: String) { fail(LupineError(.invalidRequest, message)) }
}

extension Multipart {
  /// The subtype of a multipart media type: the relation of the parts to each other.
  public struct Subtype: Sendable, Hashable, RawRepresentable {
    /// The token after `multipart/`.
    public let rawValue: String

    /// Creates a subtype; `nil` if the value is not a token (RFC 9110 section 5.6.2).
    public init?(rawValue: String) {
      guard rawValue.isToken else { return nil }
      self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    /// The fields of a form (RFC 7578).
    public static let formData = Subtype(known: "form-data")
    /// Independent parts (RFC 2046 section 5.1.3).
    public static let mixed = Subtype(known: "mixed")
    /// Alternative versions of the same content, the plainest first (RFC 2046 section 5.1.4).
    public static let alternative = Subtype(known: "alternative")
    /// A compound object whose parts refer to each other; one part is the root (RFC 2387).
    public static let related = Subtype(known: "related")
    /// Several ranges of one representation (RFC 9110 section 14.6).
    public static let byteranges = Subtype(known: "byteranges")
  }
}

/// One part of a multipart: its content and the fields that describe it.
public struct MultipartPart: Sendable {
  /// The part's fields, in their order.
  public private(set) var headers: HTTPFields
  let content: Content
  private(set) var problem: String?

  enum Content: Sendable {
    case body(RequestBody)
    case multipart(Multipart)
  }

  /// Creates a part from a body and the fields that describe it.
  public init(_ body: RequestBody, headers: HTTPFields = [:]) {
    content = .body(body)
    self.headers = headers
    check()
  }

  /// Creates a part that is itself a multipart.
  ///
  /// The content type of the part is the multipart's `contentType`.
  public init(_ multipart: Multipart, headers: HTTPFields = [:]) {
    content = .multipart(multipart)
    self.headers = headers
    self.headers[.contentType] = multipart.contentType
    check()
  }

  init(problem: String) {
    content = .body(.none)
    headers = [:]
    self.problem = problem
  }

  /// The name of the form field, unescaped; `nil` if there is none.
  public var name: String? { disposition["name"] }

  /// The file name of the part, unescaped; `nil` if there is none.
  public var fileName: String? { disposition["filename"] }

  private var disposition: ContentDisposition { ContentDisposition(headers[.contentDisposition] ?? "") }

  /// Refuses a control byte in a field's value, because a parser could take it for a line break.
  private mutating func check() {
    for field in headers where !FieldRules.isValid(value: field.value) {
      problem = "the value of \(field.name) has a control byte, which no field may have."
    }
  }
}
