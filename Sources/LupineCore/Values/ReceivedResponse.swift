public import HTTPTypes
public import LupineFoundation
import LupineSupport

/// A finished response, as validators and serializers receive it.
///
/// Its description contains neither fields nor data, which may be secret.
public struct ReceivedResponse: Sendable, HidesSecrets {
  /// The request that was sent last, after adapters and redirects.
  public var request: OutgoingRequest {
    get { storage.value.request }
    _modify { yield &storage.value.request }
  }
  /// The head of the response.
  public var head: HTTPResponse {
    get { storage.value.head }
    set {
      storage.value.head = newValue
      storage.value.statusCode = newValue.status.code
    }
  }
  /// The decoded body; empty if the response had none, or if the body went elsewhere, such as to a file.
  public var data: Data {
    get { storage.value.end.data }
    _modify { yield &storage.value.end.data }
  }
  /// The first bytes of the body, for the error of a refused response (`LupineError.carrying(_:limit:)`).
  ///
  /// The data, or the kept bytes of a body that exceeded a limit and was not needed.
  public var beginning: Data { storage.value.end.excerpt ?? storage.value.end.data }
  /// The trailers, if there were any.
  public var trailers: HTTPFields? {
    get { storage.value.end.trailers }
    _modify { yield &storage.value.end.trailers }
  }
  /// The metrics of the last exchange.
  public var metrics: TransferMetrics {
    get { storage.value.end.metrics }
    _modify { yield &storage.value.end.metrics }
  }
  /// The sender of the response: the server, or a proxy that refused the connection.
  public var source: TransportResponse.Source {
    get { storage.value.source }
    _modify { yield &storage.value.source }
  }
  /// The attributes that layers and interceptors have set.
  public var attributes: ResponseAttributes {
    get { storage.value.attributes }
    _modify { yield &storage.value.attributes }
  }

  /// The session's decoding settings for a serializer without its own; `nil` outside a session's request.
  public var decodingDefaults: DecodingDefaults? {
    get { storage.value.decodingDefaults }
    set { storage.value.decodingDefaults = newValue }
  }

  /// Sends the event `warning` to the monitors of the session and of the request; `nil` if there is no monitor.
  ///
  /// For serializers. The session sets it before it calls one.
  public var warn: (@Sendable (String) -> Void)? {
    get { storage.value.warn }
    set { storage.value.warn = newValue }
  }

  /// Whether the body has data.
  ///
  /// Does not copy them.
  public var hasData: Bool { !storage.value.end.data.isEmpty }

  /// The status code as a number; the head stores it as text.
  public var statusCode: Int { storage.value.statusCode }

  private struct Values {
    var request: OutgoingRequest
    var head: HTTPResponse
    /// The end of the body.
    ///
    /// Stored whole, because splitting it would copy it.
    var end: BodyEnd
    var source: TransportResponse.Source
    var statusCode: Int
    var attributes: ResponseAttributes
    var decodingDefaults: DecodingDefaults?
    var warn: (@Sendable (String) -> Void)?
  }

  private var storage: CopyOnWrite<Values>

  /// The request, the status and the size of the body.
  public var description: String { "\(request.summary) (\(statusCode)): \(data.count) bytes" }

  /// Creates a response.
  public init(
    request: OutgoingRequest, head: HTTPResponse, data: Data = Data(), trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics(), source: TransportResponse.Source = .origin,
    attributes: ResponseAttributes = ResponseAttributes()
  ) {
    storage = CopyOnWrite(
      Values(
        request: request, head: head,
        end: BodyEnd(data: data, byteCount: Int64(data.count), trailers: trailers, metrics: metrics), source: source,
        statusCode: head.status.code, attributes: attributes))
  }

  /// Creates a response from a transport's response and the end of its body, as for a serializer in a background task.
  public init(request: OutgoingRequest, response: TransportResponse, end: BodyEnd) {
    storage = CopyOnWrite(
      Values(
        request: request, head: response.head, end: end, source: response.source, statusCode: response.statusCode,
        attributes: response.attributes))
  }
}
