public import FoundationEssentials
public import HTTPTypes
public import LupineCore

/// A request that a mock received.
public struct RecordedRequest: Sendable {
  /// The session's number for the request.
  public let id: RequestID
  /// Which attempt this was, from 1.
  public let attempt: Int
  /// The method.
  public var method: HTTPRequest.Method { request.method }
  /// The URL.
  public var url: HTTPURL { request.url }
  /// The fields, in their order; without `Host` and the framing of the body, which a transport adds itself.
  ///
  /// One whose body waited for 100 Continue has its `Expect`.
  public var headers: HTTPFields { request.headers }
  /// The body's bytes; empty where there was none.
  public private(set) var body: Data
  /// Whether the body is all that was to be sent; false where the stub answered before its end, or in place of 100
  /// Continue, or no connection came about.
  public private(set) var isBodyComplete: Bool
  /// What would prove the request's connection, with NTLM or Negotiate.
  public var connectionCredential: ConnectionCredential? { identity.connectionCredential }
  /// The proxy that a transport with a network would have gone through.
  public var proxy: Proxy? { identity.proxy }
  /// The value of `Proxy-Authorization` that would have gone to that proxy, and to no server.
  public let proxyAuthorization: String?
  /// The Unix-domain socket that it would have connected to.
  public var unixSocket: String? { identity.unixSocket }
  /// Who was to go first where requests wait.
  public var priority: OutgoingRequest.Priority { request.options.priority }
  let stub: Stub?
  /// Why no stub fitted, with the nearest ones.
  let mismatch: String?
  private let request: OutgoingRequest
  private let identity: ConnectionKey
  /// What a dump redacts.
  private let secretFields: SecretFields

  init(
    _ request: OutgoingRequest, body: Data, isBodyComplete: Bool, context: TransferContext, stub: Stub?,
    mismatch: String? = nil
  ) {
    id = context.id
    attempt = context.attempt
    proxyAuthorization = context.proxyAuthorization
    identity = context.identity
    secretFields = context.secretFields
    self.request = request.withoutBody
    self.body = body
    self.isBodyComplete = isBodyComplete
    self.stub = stub
    self.mismatch = mismatch
  }

  /// Takes the body back, which no server gets.
  mutating func takeBackBody() { (body, isBodyComplete) = (Data(), false) }

  /// Whether a stub fitted the request.
  public var isExpected: Bool { stub != nil }

  /// What stood for the variables of the stub's URL template, percent-decoded, such as `42` for `id`.
  public var variables: [String: String] { stub?.template?.variables(in: url) ?? [:] }

  /// The body as text; bytes that are not UTF-8 are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Decodes the body from JSON.
  ///
  /// - Parameter decoder: what decodes it, such as one that knows the program's dates. Default: a `JSONDecoder` as it comes.
  public func json<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }

  /// The items of a body that is a form, percent-decoded, in their order.
  ///
  /// An item without `=` has no value. Empty where `Content-Type` names something else than
  /// `application/x-www-form-urlencoded`.
  public var form: [URLQueryItem] {
    let type = headers[.contentType]?.lowercased() ?? Self.formType
    guard type.hasPrefix(Self.formType) else { return [] }
    return QueryItem.items(in: text).map { URLQueryItem(name: $0.name, value: $0.value) }
  }

  private static let formType = "application/x-www-form-urlencoded"

  /// The values of a query item, percent-decoded, in their order; an item without `=` has an empty one.
  public func query(_ name: String) -> [String] {
    QueryItem.items(of: url).filter { $0.name == name }.map { $0.value ?? "" }
  }
}

extension OutgoingRequest {
  /// What is kept of it keeps no stream, nor what such a one holds on to.
  fileprivate var withoutBody: OutgoingRequest {
    guard hasBody else { return self }
    var request = self
    request.body = .none
    return request
  }
}

extension RecordedRequest: CustomStringConvertible {
  /// The method and the URL, without the values of parameters whose names say that they are secret, such as `api_key`.
  public var description: String { "\(method.rawValue) \(url.withoutSecrets())" }
}

extension RecordedRequest: CustomReflectable {
  /// The request, its secret fields redacted.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": description, "attempt": attempt, "headers": secretFields.redact(headers), "body": text,
      ])
  }
}
