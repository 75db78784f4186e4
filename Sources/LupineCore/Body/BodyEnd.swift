public import FoundationEssentials
public import HTTPTypes

/// How a response's body ended well.
public struct BodyEnd: Sendable {
  /// What a `collect` sink gathered; empty for the others.
  public var data: Data
  /// Bytes that reached the sink's destination, after decoding.
  public var byteCount: Int64
  /// The trailers, where there were any.
  public var trailers: HTTPFields?
  /// What the exchange cost.
  public var metrics: TransferMetrics

  /// Joins the parts.
  ///
  /// Default: no data, as many bytes as the data have, no trailers, empty metrics.
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
