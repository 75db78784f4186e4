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
