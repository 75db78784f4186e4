public import HTTPTypes
import LupineSupport

/// A request as it will be sent: a description, which can be kept, changed and sent any number of times.
///
/// The session adds its default fields, cookies and credentials to a copy when it sends it.
public struct OutgoingRequest: Sendable {
  /// Where the request goes.
  public var url: HTTPURL {
    get { storage.value.url }
    _modify { yield &storage.value.url }
  }
  /// What it asks for.
  ///
  /// Default: GET.
  public var method: HTTPRequest.Method {
    get { storage.value.method }
    _modify { yield &storage.value.method }
  }
  /// Its own fields.
  ///
  /// `Content-Length` and `Transfer-Encoding` are the transport's, and so is `Host` unless the request names one, which is
  /// for that origin alone.
  public var headers: HTTPFields {
    get { storage.value.headers }
    _modify {
      storage.value.facts = nil
      yield &storage.value.headers
    }
  }
  /// Its content; HEAD and TRACE have none, and GET has one only with the option `allowsBodyWithGET`.
  ///
  /// Default: none.
  public var body: RequestBody {
    get { storage.value.body?.value ?? .none }
    set { storage.value.body = Self.boxed(newValue) }
  }
  /// How it is to be sent.
  public var options: Options {
    get { storage.value.options }
    _modify { yield &storage.value.options }
  }

  /// Whether it has a content, told without a copy of it.
  public var hasBody: Bool { storage.value.body != nil }

  /// Its own bounds, told without a copy of its options.
  package var timeouts: Timeouts? { storage.value.options.timeouts }

  /// Whether it has bounds of its own, told without a copy of them.
  package var hasTimeouts: Bool { storage.value.options.hasTimeouts }

  /// Whether it has a field, told without a copy of them.
  package var hasFields: Bool { !storage.value.headers.isEmpty }

  /// What a look at the fields has found, without the rest of it.
  package var findings: FieldFacts.Findings {
    storage.value.facts?.findings ?? FieldFacts(storage.value.headers).findings
  }

  /// What a look at the fields tells, or has told.
  package var fieldFacts: FieldFacts { storage.value.facts ?? FieldFacts(storage.value.headers) }

  /// The number of the look at its fields; `nil` where nobody has looked since they were changed.
  public var look: UInt64? { storage.value.facts?.look }

  /// The version of HTTP that it insists on, told without a copy of its options.
  public var version: ProtocolVersion? { storage.value.options.version }

  /// Whether its body is to wait for the server's word, told without a copy of its options.
  public var expectsContinue: Bool { storage.value.options.expectsContinue }

  /// Who goes first, told without a copy of its options.
  public var priority: Priority { storage.value.options.priority }

  private struct Values {
    var url: HTTPURL
    var method: HTTPRequest.Method
    var headers: HTTPFields
    /// Behind one pointer that most requests have not, since a body is large.
    var body: CopyOnWrite<RequestBody>?
    var options: Options
    /// What is known of the fields, until somebody changes them.
    var facts: FieldFacts?
  }

  /// Behind one pointer, since every step of the pipeline is handed the request.
  private var storage: CopyOnWrite<Values>

  /// Describes a request.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` where the URL is none.
  public init(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, headers: HTTPFields = HTTPFields(),
    body: RequestBody = .none,
    options: Options = Options()
  ) throws {
    self.init(
      url: try url.asURL(relativeTo: nil), method: method, headers: headers, body: body, options: options)
  }

  /// Describes a request to a URL that has been checked already.
  public init(
    url: HTTPURL, method: HTTPRequest.Method = .get, headers: HTTPFields = HTTPFields(), body: RequestBody = .none,
    options: Options = Options()
  ) {
    storage = CopyOnWrite(
      Values(url: url, method: method, headers: headers, body: Self.boxed(body), options: options))
  }

  private static func boxed(_ body: RequestBody) -> CopyOnWrite<RequestBody>? { body.isNone ? nil : CopyOnWrite(body) }

  /// Looks at the fields, so that nobody who gets this request has to.
  package mutating func lookAtFields() {
    if storage.value.facts == nil { storage.value.facts = FieldFacts(storage.value.headers) }
  }

  /// The request with fields that somebody has looked at in the place of its own.
  package func taking(_ shared: SharedFields) -> OutgoingRequest { OutgoingRequest(self, shared) }

  /// Made of the parts: a copy that is changed costs a copy of the fields as well.
  private init(_ request: OutgoingRequest, _ shared: SharedFields) {
    storage = CopyOnWrite(
      Values(
        url: request.url, method: request.method, headers: shared.fields, body: request.storage.value.body,
        options: request.options, facts: shared.facts))
  }

  /// The request as errors show it.
  public var summary: RequestSummary { RequestSummary(method: method, url: url) }
}

extension OutgoingRequest: HidesSecrets {
  /// The method and the URL without its query's values; no field stands in it, since many are secret.
  public var description: String { summary.description }
}

extension OutgoingRequest {
  /// How one request is to be sent, where it differs from its session.
  public struct Options: Sendable {
    /// The bounds for this request; `nil` means the session's.
    ///
    /// They take the place of the session's as a whole: a bound that is `nil` here is none. `SessionRequest.timeouts(_:)`
    /// changes single ones.
    ///
    /// Those that an adapter or an interceptor sets hold from there on; the bound of an attempt that had none before is
    /// counted from there.
    public var timeouts: Timeouts? {
      get { bounds?.value }
      set { bounds = newValue.map { CopyOnWrite($0) } }
    }
    /// The version of HTTP to speak; `nil` lets the session, and then the transport choose; libcurl's speaks HTTP/1.1.
    public var version: ProtocolVersion?
    /// Who goes first where requests wait for a connection.
    ///
    /// Default: the order of their coming.
    public var priority = Priority.normal
    /// Whether to send `Expect: 100-continue` and wait for the server's word before the body.
    ///
    /// Default: no.
    public var expectsContinue = false
    /// Whether a GET request may have a body.
    ///
    /// Without it, a body with GET is an error of kind `invalidRequest`: RFC 9110 section 9.3.1 gives such a body no
    /// meaning, and servers, proxies and caches refuse it or leave it out. A HEAD or TRACE request never has one.
    ///
    /// Default: no.
    public var allowsBodyWithGET = false
    /// Whether a repetition is harmless, where the method does not say so (RFC 9110 section 9.2.2).
    public var isIdempotent: Bool?
    /// Which credential each interceptor put on the request.
    ///
    /// Not made of a literal, for which the metadata of a pair would be looked up for each request.
    package var refreshMarks: [ObjectIdentifier: Int] = Dictionary()

    /// Behind one pointer, since bounds are large and few requests have any.
    private var bounds: CopyOnWrite<Timeouts>?
    fileprivate var hasTimeouts: Bool { bounds != nil }

    /// The session's ways in all.
    public init() {}
  }

  /// The methods that are harmless to repeat (RFC 9110 section 9.2.2).
  public static let idempotentMethods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]

  /// Whether the server can tell a repetition of the request from another one.
  package var hasIdempotencyKey: Bool { headers.contains(.idempotencyKey) }

  /// Whether the request may be sent twice without doing its work twice: by its method (RFC 9110 section 9.2.2), by its
  /// `Idempotency-Key`, or because its options say so.
  public var isIdempotent: Bool {
    options.isIdempotent ?? (Self.idempotentMethods.contains(method) || hasIdempotencyKey)
  }
}

extension OutgoingRequest {
  /// Who goes first where requests wait for a connection.
  ///
  /// A hint for what waits; a request that is under way is not held back.
  public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// After all others, as a prefetch.
    case low
    /// In the order of the requests' coming.
    case normal
    /// Before all others, as what a person waits for.
    case high

    /// Compares how soon they go.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
}

extension OutgoingRequest {
  /// The request for another URL; what was meant for one server alone, its secrets and its name, goes to no other origin.
  ///
  /// So what another origin refuses is no token that was refused.
  package func moved(to url: HTTPURL, secrets: SecretFields) -> OutgoingRequest {
    var moved = self
    moved.url = url
    guard url.origin != self.url.origin else { return moved }
    moved.headers = secrets.strip(headers)
    moved.headers[.host] = nil
    if !moved.options.refreshMarks.isEmpty { moved.options.refreshMarks = [:] }
    return moved
  }
}
