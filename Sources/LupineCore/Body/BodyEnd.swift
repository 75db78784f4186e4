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
}
