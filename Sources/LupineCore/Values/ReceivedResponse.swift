public import FoundationEssentials
public import HTTPTypes

/// A finished response, as validators and serializers see it.
///
/// Its description has neither fields nor data, which may be secret.
public struct ReceivedResponse: Sendable, CustomStringConvertible {
  /// The request that was sent last, after adapters and redirects.
  public var request: OutgoingRequest
  /// The head of the response.
  public var head: HTTPResponse
  /// The decoded body; empty where the response had none or it went elsewhere, as to a file.
  public var data: Data
  /// The trailers, where there were any.
  public var trailers: HTTPFields?
  /// What the last exchange cost.
  public var metrics: TransferMetrics
  /// Who answered: the server, or a proxy that would not make the connection.
  public var source: TransportResponse.Source

  /// The request, the status and the size of the body.
  public var description: String { "\(request.summary) (\(head.status.code)): \(data.count) bytes" }

  /// Joins the parts of a response.
  public init(
    request: OutgoingRequest, head: HTTPResponse, data: Data = Data(), trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics(), source: TransportResponse.Source = .origin
  ) {
    self.request = request
    self.head = head
    self.data = data
    self.trailers = trailers
    self.metrics = metrics
    self.source = source
  }
}
