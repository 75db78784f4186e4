public import HTTPTypes
public import LupineCore
import LupineSupport

/// A body of several parts, one after the other, of any multipart type (RFC 2046 section 5.1).
///
/// It is a description: nothing is read before it is sent, nothing is gathered, and it can be sent any number of times
/// unless one of its parts is a one-shot stream. What cannot be sent, such as a part with a line break in its content
/// type, is remembered and thrown when the multipart is made into a body.
public struct Multipart: Sendable {
  /// What the parts are to each other.
  public let subtype: Subtype
  /// The parts, in the order in which they go out.
  public private(set) var parts: [MultipartPart] = []
  let separator: MultipartBoundary
  private let parameters: [(name: String, value: String)]
  private(set) var problem: LupineError?

  /// Starts an empty multipart, with a boundary of 192 random bits.
  ///
  /// - Parameters:
  ///   - subtype: what the parts are to each other. Default: `mixed`.
  ///   - parameters: what the content type says besides the boundary, as `start` does for `related` (RFC 2387).
  ///   - random: 64 random bits at each call. Default: the system's.
  public init(
    _ subtype: Subtype = .mixed, parameters: [(name: String, value: String)] = [],
    random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom
  ) {
    self.init(subtype, parameters, MultipartBoundary(random: random))
  }

  /// Starts an empty multipart with a boundary of the caller's.
  ///
  /// Bytes in memory that contain the boundary are refused; files and streams are the caller's to know.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` where RFC 2046 does not allow the boundary: it has 1 to 70
  ///   characters of a small alphabet, and no space at its end.
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
      fail("The parameter \"\(parameter.name.escapingControls())\" of a multipart's content type cannot stand in it.")
    }
  }

  /// What separates the parts.
  public var boundary: String { separator.text }

  /// The content type, with the boundary, as the field says it.
  public var contentType: String {
    let all = [(name: "boundary", value: boundary)] + parameters
    return "multipart/\(subtype.rawValue)" + all.map { "; \($0.name)=\($0.value.tokenOrQuotedString)" }.joined()
  }

  /// Adds a part at the end.
  public mutating func append(_ part: MultipartPart) {
    parts.append(part)
    if let reason = part.problem { fail("Part \(parts.count) of the multipart body: \(reason)") }
  }

  /// Adds a part at the end: a body, and the fields that describe it.
  public mutating func append(_ body: RequestBody, headers: HTTPFields = [:]) {
    append(MultipartPart(body, headers: headers))
  }

  /// Adds text at the end, as `text/plain` in UTF-8 unless the fields say otherwise.
  public mutating func append(_ text: String, headers: HTTPFields = [:]) {
    var headers = headers
    if headers[.contentType] == nil { headers[.contentType] = "text/plain; charset=utf-8" }
    append(MultipartPart(.text(text), headers: headers))
  }

  /// Adds a multipart as a part of this one, at the end.
  public mutating func append(_ multipart: Multipart, headers: HTTPFields = [:]) {
    append(MultipartPart(multipart, headers: headers))
  }

  /// Adds a range of a larger whole at the end, with the `Content-Range` that says which (RFC 9110 section 14.6).
  ///
  /// - Parameters:
  ///   - range: the first byte's position, and the position after the last one's.
  ///   - total: the length of the whole; `nil` where it is unknown.
  public mutating func append(_ body: RequestBody, range: Range<Int64>, of total: Int64?, headers: HTTPFields = [:]) {
    let isFitting = range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= total ?? .max
    var headers = headers
    if isFitting {
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }
    append(MultipartPart(body, headers: headers))
    if !isFitting {
      let whole = total.map { "\($0) bytes" } ?? "a whole"
      fail("Part \(parts.count) of the multipart body: the range \(range) is no part of \(whole).")
    }
  }

  /// Remembers the first thing that cannot be sent.
  mutating func fail(_ error: LupineError) {
    if problem == nil { problem = error }
  }

  private mutating func fail(_ message: String) { fail(LupineError(.invalidRequest, message)) }
}
