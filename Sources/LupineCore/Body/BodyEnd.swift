public import LupineFoundation
public import HTTPTypes

/// The end of a response's body without an error.
public struct BodyEnd: Sendable {
  /// The data of a `collect` sink; empty for other sinks.
  public var data: Data
  /// The number of bytes that reached the sink's destination, after decoding.
  public var byteCount: Int64
  /// The trailers, if there were any.
  public var trailers: HTTPFields?
  /// The metrics of the exchange.
  public var metrics: TransferMetrics
  /// The first bytes of a body that exceeded a limit and was not needed, for the error of a refused response.
  var excerpt: Data?

  /// Creates an end.
  ///
  /// Default: no data, the byte count of the data, no trailers, empty metrics.
  public init(
    data: Data = Data(), byteCount: Int64? = nil, trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics()
  ) {
    self.data = data
    self.byteCount = byteCount ?? Int64(data.count)
    self.trailers = trailers
    self.metrics = metrics
  }
}
