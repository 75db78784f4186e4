/// What one exchange cost, as its transport measured it.
///
/// The times are counted from the moment the transport began; each includes those before it. A time is `nil` where the
/// step did not happen, as `connect` on a connection that was reused.
public struct TransferMetrics: Sendable, Hashable {
  /// Until a connection was free for the exchange; `nil` where it did not wait.
  public var queued: Duration?
  /// Until the host's name was resolved.
  public var nameLookup: Duration?
  /// Until the connection to the host, or to the proxy, stood.
  public var connect: Duration?
  /// Until the TLS handshake was done.
  public var secureConnect: Duration?
  /// Until the request had been handed to the connection to its end, body included.
  public var requestSent: Duration?
  /// Until the first byte of the response arrived.
  public var firstByte: Duration?
  /// Until the exchange ended, well or not.
  public var total: Duration = .zero
  /// Bytes of the request's body that were sent.
  public var bytesSent: Int64 = 0
  /// Bytes of the response's body that arrived, before decoding.
  public var bytesReceived: Int64 = 0
  /// The address that was dialled, such as `127.0.0.1:8080`.
  public var remoteAddress: String?
  /// The protocol that was spoken.
  public var version: ProtocolVersion?
  /// Whether the connection had served a request before.
  public var isConnectionReused = false

  /// How the connection is secured; `nil` without TLS, or where the transport does not tell.
  public var tls: TLSDetails? {
    get { details?.value }
    set { details = newValue.map { CopyOnWrite($0) } }
  }

  /// Behind a pointer, since metrics are handed on often and the details hardly ever read.
  private var details: CopyOnWrite<TLSDetails>?

  /// Metrics of an exchange that has not begun.
  public init() {}
}

extension TransferMetrics: CustomStringConvertible {
  /// The times that are known, on one line.
  public var description: String {
    var parts: [String] = []
    for (name, time) in [
      ("queued", queued), ("lookup", nameLookup), ("connect", connect), ("tls", secureConnect), ("sent", requestSent),
      ("first byte", firstByte),
    ] {
      if let time { parts.append("\(name) \(time.milliseconds)") }
    }
    parts.append("total \(total.milliseconds)")
    parts.append("\(bytesSent) B up, \(bytesReceived) B down")
    if let version { parts.append(version.rawValue) }
    if isConnectionReused { parts.append("reused") }
    return parts.joined(separator: ", ")
  }
}

extension Duration {
  /// The duration in milliseconds with two digits, as people read it.
  package var milliseconds: String {
    // A duration of a million years is none that a person reads in milliseconds.
    guard abs(components.seconds / 2) < 1 << 44 else { return "\(self)" }
    let hundredths = (components.seconds * 100_000) + (components.attoseconds / 10_000_000_000_000)
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
  }
}
