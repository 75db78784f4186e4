public import FoundationEssentials
public import HTTPTypes

/// A request as a matcher sees it: complete, its body gathered.
public struct RequestSnapshot: Sendable {
  /// The method.
  public var method: HTTPRequest.Method
  /// The URL.
  public var url: HTTPURL
  /// The fields, as they would go out.
  public var headers: HTTPFields
  /// The body's bytes; empty where there is none.
  public var body: Data
  /// The fields whose values a matcher must not show.
  ///
  /// Default: `SecretFields.standard`; where a stub's differences are told, those that the session marks, too.
  public var secretFields: SecretFields {
    get { markedFields ?? .standard }
    set { markedFields = newValue }
  }
  /// Nil as a rule, for a request is compared more often than shown.
  private var markedFields: SecretFields?

  /// Joins the parts of a request.
  public init(method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields = [:], body: Data = Data()) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}
