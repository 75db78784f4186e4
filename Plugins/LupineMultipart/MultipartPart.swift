public import HTTPTypes
public import LupineCore

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
