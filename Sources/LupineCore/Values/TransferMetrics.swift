import LupineSupport

/// What one exchange cost, as its transport measured it.
///
/// The times are counted from the moment the transport began; each includes those before it. A time is `nil` where the
/// step did not happen, as `connect` on a connection that was reused.
public struct TransferMetrics: Sendable, Hashable {
  /// Until a connection was free for the exchange; `nil` where it did not wait.
  public var queued: Duration? {
    get { storage.value.queued }
    set { storage.value.queued = newValue }
  }
  /// Until the name of the host, or of the proxy, was resolved; of a host whose address a SOCKS proxy is given, also where
  /// the connection was reused.
  public var nameLookup: Duration? {
    get { storage.value.nameLookup }
    set { storage.value.nameLookup = newValue }
  }
  /// Until the connection to the host, or to the proxy, stood.
  public var connect: Duration? {
    get { storage.value.connect }
    set { storage.value.connect = newValue }
  }
  /// Until the TLS handshake was done.
  public var secureConnect: Duration? {
    get { storage.value.secureConnect }
    set { storage.value.secureConnect = newValue }
  }
  /// Until the request had been handed to the connection to its end, body included.
  public var requestSent: Duration? {
    get { storage.value.requestSent }
    set { storage.value.requestSent = newValue }
  }
  /// Until the first byte of the response arrived.
  public var firstByte: Duration? {
    get { storage.value.firstByte }
    set { storage.value.firstByte = newValue }
  }
  /// Until the exchange ended, well or not.
  public var total: Duration {
    get { storage.value.total }
    set { storage.value.total = newValue }
  }
  /// Bytes of the request's body that were sent.
  public var bytesSent: Int64 {
    get { storage.value.bytesSent }
    set { storage.value.bytesSent = newValue }
  }
  /// Bytes of the response's body that arrived, before decoding.
  public var bytesReceived: Int64 {
    get { storage.value.bytesReceived }
    set { storage.value.bytesReceived = newValue }
  }
  /// The address that was dialled, such as `127.0.0.1:8080`.
  public var remoteAddress: String? {
    get { storage.value.remoteAddress }
    set { storage.value.remoteAddress = newValue }
  }
  /// The protocol that was spoken.
  public var version: ProtocolVersion? {
    get { storage.value.version }
    set { storage.value.version = newValue }
  }
  /// Whether the connection had served a request before.
  public var isConnectionReused: Bool {
    get { storage.value.isConnectionReused }
    set { storage.value.isConnectionReused = newValue }
  }

  /// How the connection is secured; `nil` without TLS, or where the transport does not tell.
  public var tls: TLSDetails? {
    get { storage.value.tls }
    set { storage.value.tls = newValue }
  }

  private struct Values: Hashable {
    var queued: Duration?
    var nameLookup: Duration?
    var connect: Duration?
    var secureConnect: Duration?
    var requestSent: Duration?
    var firstByte: Duration?
    var total: Duration = .zero
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    var remoteAddress: String?
    var version: ProtocolVersion?
    var isConnectionReused = false
    var tls: TLSDetails?
  }

  private static let none = CopyOnWrite(Values())

  /// Behind a pointer, since metrics are handed on often.
  ///
  /// Set, not modified in place: to yield across modules costs more.
  private var storage: CopyOnWrite<Values>

  /// Metrics of an exchange that has not begun.
  public init() { storage = Self.none }

  /// Metrics that are made in one go: each change of a part looks for others who hold them.
  public init(
    total: Duration, queued: Duration?, requestSent: Duration?, firstByte: Duration?, bytesSent: Int64,
    bytesReceived: Int64, remoteAddress: String?, version: ProtocolVersion?, isConnectionReused: Bool, tls: TLSDetails?
  ) {
    storage = CopyOnWrite(
      Values(
        queued: queued, requestSent: requestSent, firstByte: firstByte, total: total, bytesSent: bytesSent,
        bytesReceived: bytesReceived, remoteAddress: remoteAddress, version: version,
        isConnectionReused: isConnectionReused, tls: tls))
  }
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
