public import HTTPTypes
public import LupineCore

/// One part of a multipart: fields that describe it, and its content.
public struct MultipartPart: Sendable {
  /// What the part's fields say, in their order.
  public private(set) var headers: HTTPFields
  let content: Content
  private(set) var problem: String?

  enum Content: Sendable {
    case body(RequestBody)
    case multipart(Multipart)
  }

  /// Joins a body and the fields that describe it.
  public init(_ body: RequestBody, headers: HTTPFields = [:]) {
    content = .body(body)
    self.headers = headers
    check()
  }

  /// Makes a part of a multipart; the content type, with its boundary, is the multipart's own.
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

  /// The name that a form gives the part, unescaped; `nil` where it has none.
  public var name: String? { disposition["name"] }

  /// The file name that the part says it has, unescaped; `nil` where it has none.
  public var fileName: String? { disposition["filename"] }

  private var disposition: ContentDisposition { ContentDisposition(headers[.contentDisposition] ?? "") }

  /// A control byte would start a line of its own, or end one, in the eyes of some parser.
  private mutating func check() {
    for field in headers where !FieldRules.isValid(value: field.value) {
      problem = "the value of \(field.name) has a control byte, which no field may have."
    }
  }
}
