/// What one exchange cost, as its transport measured it.
///
/// The times are counted from the moment the transport began; each includes those before it. A time is `nil` where the
/// step did not happen, as `connect` on a connection that was reused.
public struct TransferMetrics: Sendable, Hashable {
  /// Until a connection was free for the exchange; `nil` where it did not wait.
  public var queued: Duration? {
    get { storage.value.queued }
    _modify { yield &storage.value.queued }
  }
  /// Until the host's name was resolved.
  public var nameLookup: Duration? {
    get { storage.value.nameLookup }
    _modify { yield &storage.value.nameLookup }
  }
  /// Until the connection to the host, or to the proxy, stood.
  public var connect: Duration? {
    get { storage.value.connect }
    _modify { yield &storage.value.connect }
  }
  /// Until the TLS handshake was done.
  public var secureConnect: Duration? {
    get { storage.value.secureConnect }
    _modify { yield &storage.value.secureConnect }
  }
  /// Until the request had been handed to the connection to its end, body included.
  public var requestSent: Duration? {
    get { storage.value.requestSent }
    _modify { yield &storage.value.requestSent }
  }
  /// Until the first byte of the response arrived.
  public var firstByte: Duration? {
    get { storage.value.firstByte }
    _modify { yield &storage.value.firstByte }
  }
  /// Until the exchange ended, well or not.
  public var total: Duration {
    get { storage.value.total }
    _modify { yield &storage.value.total }
  }
  /// Bytes of the request's body that were sent.
  public var bytesSent: Int64 {
    get { storage.value.bytesSent }
    _modify { yield &storage.value.bytesSent }
  }
  /// Bytes of the response's body that arrived, before decoding.
  public var bytesReceived: Int64 {
    get { storage.value.bytesReceived }
    _modify { yield &storage.value.bytesReceived }
  }
  /// The address that was dialled, such as `127.0.0.1:8080`.
  public var remoteAddress: String? {
    get { storage.value.remoteAddress }
    _modify { yield &storage.value.remoteAddress }
  }
  /// The protocol that was spoken.
  public var version: ProtocolVersion? {
    get { storage.value.version }
    _modify { yield &storage.value.version }
  }
  /// Whether the connection had served a request before.
  public var isConnectionReused: Bool {
    get { storage.value.isConnectionReused }
    _modify { yield &storage.value.isConnectionReused }
  }

  /// How the connection is secured; `nil` without TLS, or where the transport does not tell.
  public var tls: TLSDetails? {
    get { storage.value.tls }
    _modify { yield &storage.value.tls }
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
  private var storage = Self.none

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
