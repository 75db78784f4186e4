public import HTTPTypes
import LupineSupport

/// A description of a request, which can be stored, changed and sent any number of times.
///
/// When the session sends the request, it adds its default fields, cookies and credentials to a copy.
public struct OutgoingRequest: Sendable {
  /// The URL of the request.
  public var url: HTTPURL {
    get { storage.value.url }
    _modify { yield &storage.value.url }
  }
  /// The method.
  ///
  /// Default: GET.
  public var method: HTTPRequest.Method {
    get { storage.value.method }
    _modify { yield &storage.value.method }
  }
  /// The request's own fields.
  ///
  /// The transport sets `Content-Length` and `Transfer-Encoding`. It sets `Host` unless the request contains one. A
  /// `Host` of the request is sent to the request's own origin only.
  public var headers: HTTPFields {
    get { storage.value.headers }
    _modify {
      storage.value.facts = nil
      yield &storage.value.headers
    }
  }
  /// The content.
  ///
  /// HEAD and TRACE have none, and GET has one only with the option `allowsBodyWithGET`.
  ///
  /// Default: none.
  public var body: RequestBody {
    get { storage.value.body?.value ?? .none }
    set { storage.value.body = Self.boxed(newValue) }
  }
  /// The options for this request, those of plugins included (`RequestOptionKey`).
  public var options: Options {
    get { storage.value.options }
    _modify { yield &storage.value.options }
  }

  /// Whether the request has content.
  ///
  /// Does not copy the body.
  public var hasBody: Bool { storage.value.body != nil }

  /// Whether the request has timeouts or options of plugins.
  ///
  /// Does not copy the options.
  // For the session, which reads an option of each request.
  package var hasStoredOptions: Bool { storage.value.options.isStored }

  /// The request's own timeouts.
  ///
  /// Does not copy the other options.
  public var timeouts: Timeouts? { storage.value.options.timeouts }

  /// Whether the request has any field.
  ///
  /// Does not copy the fields.
  var hasFields: Bool { !storage.value.headers.isEmpty }

  /// Whether the request has the field.
  ///
  /// Reads the stored scan; scans the fields if no result is stored.
  // For the modules that act on a scanned field.
  package func has(_ field: ScannedField) -> Bool { fieldFacts.contains(field) }

  /// The result of the scan of the fields.
  ///
  /// Scans them if no result is stored.
  var fieldFacts: FieldFacts { storage.value.facts ?? FieldFacts(storage.value.headers) }

  /// The number of the stored scan of the fields; `nil` if there was no scan since their last change.
  public var fieldScanID: UInt64? { storage.value.facts?.scanID }

  /// The required version of HTTP.
  ///
  /// Does not copy the options.
  public var version: ProtocolVersion? { storage.value.options.version }

  /// Whether the body waits for 100 Continue.
  ///
  /// Does not copy the options.
  public var expectsContinue: Bool { storage.value.options.expectsContinue }

  /// The priority in the queue for connections.
  ///
  /// Does not copy the options.
  public var priority: Priority { storage.value.options.priority }

  private struct Values {
    var url: HTTPURL
    var method: HTTPRequest.Method
    var headers: HTTPFields
    /// Stored indirectly: a body is large, and most requests have none.
    var body: CopyOnWrite<RequestBody>?
    var options: Options
    /// The result of the scan of the fields, until the fields change.
    var facts: FieldFacts?
  }

  /// Stored indirectly, because every step of the pipeline receives the request.
  private var storage: CopyOnWrite<Values>

  /// Describes a request.
  ///
  /// - Throws: `LupineError` of kind `invalidURL` if the URL is invalid.
  public init(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, headers: HTTPFields = HTTPFields(),
    body: RequestBody = .none,
    options: Options = Options()
  ) throws {
    self.init(
      url: try url.asURL(relativeTo: nil), method: method, headers: headers, body: body, options: options)
  }

  /// Describes a request to a URL that is already checked.
  public init(
    url: HTTPURL, method: HTTPRequest.Method = .get, headers: HTTPFields = HTTPFields(), body: RequestBody = .none,
    options: Options = Options()
  ) {
    storage = CopyOnWrite(
      Values(url: url, method: method, headers: headers, body: Self.boxed(body), options: options))
  }

  private static func boxed(_ body: RequestBody) -> CopyOnWrite<RequestBody>? { body.isNone ? nil : CopyOnWrite(body) }

  /// Scans the fields and stores the result for later steps, until the fields change.
  // For the session, whose steps and transports then share one scan.
  package mutating func scanFields() {
    if storage.value.facts == nil { storage.value.facts = FieldFacts(storage.value.headers) }
  }

  /// Creates the request with other fields, which are scanned already.
  ///
  /// Built from the parts: changing a copy would also copy the fields.
  init(_ request: OutgoingRequest, _ fields: HTTPFields, _ facts: FieldFacts) {
    storage = CopyOnWrite(
      Values(
        url: request.url, method: request.method, headers: fields, body: request.storage.value.body,
        options: request.options, facts: facts))
  }

  /// The request as errors show it.
  public var summary: RequestSummary { RequestSummary(method: method, url: url) }
}

extension OutgoingRequest: HidesSecrets {
  /// The method and the URL without query values.
  ///
  /// Fields are omitted, because many are secret.
  public var description: String { summary.description }
}

extension OutgoingRequest {
  /// Returns the request for another URL, as a redirect or a change of the server needs it.
  ///
  /// If the origin differs, the secret fields, the `Host` field and the options for the old origin alone
  /// (`RequestOptionKey.isKeptAcrossOrigins`) are removed.
  ///
  /// - Parameter secrets: the fields whose values are secret, as `TransferContext.secretFields` has them. Default: the
  ///   standard ones.
  public func moved(to url: HTTPURL, secrets: SecretFields = .standard) -> OutgoingRequest {
    var moved = self
    moved.url = url
    guard url.origin != self.url.origin else { return moved }
    moved.headers = secrets.strip(headers)
    moved.headers[.host] = nil
    moved.dropOptionsOfOrigin()
    return moved
  }
}

extension OutgoingRequest {
  /// The options of one request that differ from those of its session.
  public struct Options: Sendable {
    /// The timeouts of this request; `nil` means the session's.
    ///
    /// They replace all of the session's timeouts: `nil` here means no timeout.
    /// `SessionRequest.timeouts(_:)` changes single ones.
    ///
    /// Timeouts that an adapter or an interceptor sets apply from then on. If the attempt had no timeout before, it
    /// starts at that moment.
    public var timeouts: Timeouts? {
      get { stored?.value.timeouts }
      set {
        if newValue != nil || stored != nil { stored.change(from: TimeoutsAndValues()) { $0.timeouts = newValue } }
      }
    }
    /// The version of HTTP; `nil` lets the session or the transport choose, as `Session.Builder.httpVersion(_:)` says.
    public var version: ProtocolVersion?
    /// The priority of the request in the queue for connections.
    ///
    /// Default: in the order of arrival.
    public var priority = Priority.normal
    /// Whether to send `Expect: 100-continue` and wait for the server's interim response before the body (RFC 9110
    /// section 10.1.1).
    ///
    /// If the server answers 417 (Expectation Failed), the session sends the request once more without `Expect`, unless
    /// its body can be sent only once.
    ///
    /// Default: no.
    public var expectsContinue = false
    /// Whether a GET request may have a body.
    ///
    /// Without it, a body with GET is an error of kind `invalidRequest`: RFC 9110 section 9.3.1 defines no meaning for
    /// such a body, and servers, proxies and caches refuse or remove it. A HEAD or TRACE request never has one.
    ///
    /// Default: no.
    public var allowsBodyWithGET = false
    /// Whether the request is idempotent, if the method does not decide it (RFC 9110 section 9.2.2).
    public var isIdempotent: Bool?

    /// Stored indirectly: few requests have such options.
    private var stored: CopyOnWrite<TimeoutsAndValues>?

    fileprivate var isStored: Bool { stored != nil }

    private struct TimeoutsAndValues {
      var timeouts: Timeouts?
      var values = KeyedValues()
      /// The values that a redirect to another origin removes.
      var valuesOfOrigin = KeyedValues()
    }

    /// Creates options that equal the session's.
    public init() {}

    /// The value of a plugin's option; its default if it is not set.
    ///
    /// Adapters, interceptors and layers read it from the request that they receive. It is never sent.
    public subscript<Key: RequestOptionKey>(key: Key.Type) -> Key.Value {
      get { stored == nil ? Key.defaultValue : storedValue(of: key) }
      set {
        stored.change(from: TimeoutsAndValues()) { stored in
          if Key.isKeptAcrossOrigins {
            stored.values.set(newValue, for: key)
          } else {
            stored.valuesOfOrigin.set(newValue, for: key)
          }
        }
      }
    }

    /// The keys of the plugins' options that are set, also to their defaults, in no particular order.
    ///
    /// For code that must not drop an option that it does not know, such as code that stores requests.
    public var keys: [any RequestOptionKey.Type] {
      guard let stored = stored?.value else { return [] }
      return (stored.values.keys + stored.valuesOfOrigin.keys).compactMap { $0 as? any RequestOptionKey.Type }
    }

    // Not inlined: most requests have no options, and this code looks up optional types.
    @inline(never)
    private func storedValue<Key: RequestOptionKey>(of key: Key.Type) -> Key.Value {
      let values = Key.isKeptAcrossOrigins ? stored?.value.values : stored?.value.valuesOfOrigin
      return values?.value(of: key, as: Key.Value.self) ?? Key.defaultValue
    }

    fileprivate var hasValuesOfOrigin: Bool { stored.map { !$0.value.valuesOfOrigin.isEmpty } ?? false }

    fileprivate mutating func dropValuesOfOrigin() {
      stored.change(from: TimeoutsAndValues()) { $0.valuesOfOrigin = KeyedValues() }
    }
  }

  /// Removes the options that belong to the origin of the request.
  // For the session, if a redirector changes the origin; `moved(to:secrets:)` does it for everyone else.
  package mutating func dropOptionsOfOrigin() {
    if options.hasValuesOfOrigin { options.dropValuesOfOrigin() }
  }

  /// The idempotent methods (RFC 9110 section 9.2.2), with QUERY (RFC 10008).
  public static let idempotentMethods: Set<HTTPRequest.Method> = [
    .delete, .get, .head, .options, .put, .query, .trace,
  ]

  /// Whether sending the request twice has the same effect as sending it once.
  ///
  /// The options decide, otherwise the method (RFC 9110 section 9.2.2) or an `Idempotency-Key` field.
  public var isIdempotent: Bool {
    options.isIdempotent ?? (Self.idempotentMethods.contains(method) || headers.contains(.idempotencyKey))
  }
}

extension OutgoingRequest {
  /// The priority of a request in the queue for connections.
  ///
  /// It affects waiting requests only; it does not delay a running request. It cannot change after the request has been
  /// sent. Over HTTP/2, the native transport also sends it to the server, as the urgency of RFC 9218 section 4.1: 1 for
  /// `high` and 5 for `low`. A field `Priority` of the request replaces the urgency.
  public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// After all others, for a prefetch.
    case low
    /// In the order of arrival.
    case normal
    /// Before all others, for a request that a user waits for.
    case high

    /// Compares priorities.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
}
