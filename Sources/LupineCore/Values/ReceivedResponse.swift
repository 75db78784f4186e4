public import FoundationEssentials
public import HTTPTypes
import LupineSupport

/// A finished response, as validators and serializers see it.
///
/// Its description has neither fields nor data, which may be secret.
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
  /// The decoded body; empty where the response had none or it went elsewhere, as to a file.
  public var data: Data {
    get { storage.value.end.data }
    _modify { yield &storage.value.end.data }
  }
  /// The trailers, where there were any.
  public var trailers: HTTPFields? {
    get { storage.value.end.trailers }
    _modify { yield &storage.value.end.trailers }
  }
  /// What the last exchange cost.
  public var metrics: TransferMetrics {
    get { storage.value.end.metrics }
    _modify { yield &storage.value.end.metrics }
  }
  /// Who answered: the server, or a proxy that would not make the connection.
  public var source: TransportResponse.Source {
    get { storage.value.source }
    _modify { yield &storage.value.source }
  }

  /// What the session decodes with, for a serializer that names nothing of its own; `nil` outside a session's request.
  public var decodingDefaults: DecodingDefaults? {
    get { storage.value.decodingDefaults }
    set { storage.value.decodingDefaults = newValue }
  }

  /// Whether there are data, told without a copy of them.
  public var hasData: Bool { !storage.value.end.data.isEmpty }

  /// The head's status, which stands there as text and is asked for at every step.
  public var statusCode: Int { storage.value.statusCode }

  private struct Values {
    var request: OutgoingRequest
    var head: HTTPResponse
    /// How its body ended, kept whole: taken apart, it would be copied.
    var end: BodyEnd
    var source: TransportResponse.Source
    var statusCode: Int
    var decodingDefaults: DecodingDefaults?
  }

  private var storage: CopyOnWrite<Values>

  /// The request, the status and the size of the body.
  public var description: String { "\(request.summary) (\(statusCode)): \(data.count) bytes" }

  /// Joins the parts of a response.
  public init(
    request: OutgoingRequest, head: HTTPResponse, data: Data = Data(), trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics(), source: TransportResponse.Source = .origin
  ) {
    storage = CopyOnWrite(
      Values(
        request: request, head: head,
        end: BodyEnd(data: data, byteCount: Int64(data.count), trailers: trailers, metrics: metrics), source: source,
        statusCode: head.status.code))
  }

  /// Joins what a transport brought back and how its body ended.
  package init(request: OutgoingRequest, _ response: TransportResponse, _ end: BodyEnd) {
    storage = CopyOnWrite(
      Values(
        request: request, head: response.head, end: end, source: response.source, statusCode: response.statusCode))
  }
}
