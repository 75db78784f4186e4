import LupineSupport

/// The metrics of one exchange, as its transport measured them.
///
/// The times count from the moment when the transport began; each includes the previous ones. A time is `nil` if the
/// step did not happen, such as `connect` on a reused connection.
public struct TransferMetrics: Sendable, Hashable {
  /// The time until a connection was available for the exchange; `nil` if the exchange did not wait.
  public var queued: Duration? {
    get { storage.value.queued }
    set { storage.value.queued = newValue }
  }
  /// The time until the name of the host, or of the proxy, was resolved.
  ///
  /// It includes the preparation of a new connection, such as reading the root certificates, also if the host is an
  /// address.
  /// It is also set for a reused connection if a SOCKS proxy receives the host's address.
  public var nameLookup: Duration? {
    get { storage.value.nameLookup }
    set { storage.value.nameLookup = newValue }
  }
  /// The time until the connection to the host, or to the proxy, was established.
  public var connect: Duration? {
    get { storage.value.connect }
    set { storage.value.connect = newValue }
  }
  /// The time until the TLS handshake was complete.
  public var secureConnect: Duration? {
    get { storage.value.secureConnect }
    set { storage.value.secureConnect = newValue }
  }
  /// The time until the whole request, including its body, was written to the connection.
  public var requestSent: Duration? {
    get { storage.value.requestSent }
    set { storage.value.requestSent = newValue }
  }
  /// The time until the first byte of the response arrived.
  public var firstByte: Duration? {
    get { storage.value.firstByte }
    set { storage.value.firstByte = newValue }
  }
  /// The time until the exchange ended, with or without an error.
  public var total: Duration {
    get { storage.value.total }
    set { storage.value.total = newValue }
  }
  /// The number of bytes of the request's body that were sent.
  public var bytesSent: Int64 {
    get { storage.value.bytesSent }
    set { storage.value.bytesSent = newValue }
  }
  /// The number of bytes of the response's body that arrived, before decoding.
  public var bytesReceived: Int64 {
    get { storage.value.bytesReceived }
    set { storage.value.bytesReceived = newValue }
  }
  /// The address of the connection's peer, such as `127.0.0.1:8080`.
  public var remoteAddress: String? {
    get { storage.value.remoteAddress }
    set { storage.value.remoteAddress = newValue }
  }
  /// The version of HTTP that was used.
  public var version: ProtocolVersion? {
    get { storage.value.version }
    set { storage.value.version = newValue }
  }
  /// Whether the connection had carried a request before.
  public var isConnectionReused: Bool {
    get { storage.value.isConnectionReused }
    set { storage.value.isConnectionReused = newValue }
  }

  /// The TLS details of the connection; `nil` without TLS, or if the transport does not report them.
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

  /// Stored indirectly, because metrics are passed on often.
  ///
  /// Replaced as a whole: a modification in place across modules costs more.
  private var storage: CopyOnWrite<Values>

  /// Creates the metrics of an exchange that has not begun.
  public init() { storage = Self.none }

  /// Creates metrics from all their parts.
  ///
  /// Setting each part would check the storage for other references.
  public init(
    total: Duration, queued: Duration?, nameLookup: Duration?, connect: Duration?, secureConnect: Duration?,
    requestSent: Duration?, firstByte: Duration?, bytesSent: Int64, bytesReceived: Int64, remoteAddress: String?,
    version: ProtocolVersion?, isConnectionReused: Bool, tls: TLSDetails?
  ) {
    storage = CopyOnWrite(
      Values(
        queued: queued, nameLookup: nameLookup, connect: connect, secureConnect: secureConnect,
        requestSent: requestSent, firstByte: firstByte, total: total, bytesSent: bytesSent,
        bytesReceived: bytesReceived, remoteAddress: remoteAddress, version: version,
        isConnectionReused: isConnectionReused, tls: tls))
  }
}

extension TransferMetrics: CustomStringConvertible {
  /// The known times, on one line.
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

extension TransferMetrics {
  /// The phases of the exchange, one per line, each with its bar on the exchange's timeline and its duration.
  ///
  /// ```text
  /// name lookup  ██                                         0.52 ms
  /// connect        ███                                      0.88 ms
  /// TLS               ██████████████                        4.10 ms
  /// sending                         █                       0.05 ms
  /// waiting                         ███████████             3.21 ms
  /// receiving                                  ████         1.24 ms
  /// total 10.00 ms, 0 B up, 5120 B down, HTTP/2, 127.0.0.1:443
  /// ```
  ///
  /// Phases that did not happen are omitted, such as those of a reused connection.
  public var waterfall: String {
    let phases = phases
    let width = phases.map(\.name.count).max() ?? 0
    return (phases.map { $0.line(of: total, nameWidth: width) } + [summary]).joined(separator: "\n")
  }

  private var summary: String {
    var parts = ["total \(total.milliseconds)", "\(bytesSent) B up", "\(bytesReceived) B down"]
    if let version { parts.append(version.rawValue) }
    if let remoteAddress { parts.append(remoteAddress) }
    if isConnectionReused { parts.append("reused connection") }
    return parts.joined(separator: ", ")
  }

  /// The phases of the exchange that happened, in order; each begins at the end of the previous one.
  public var phases: [Phase] {
    var phases: [Phase] = []
    var start = Duration.zero
    let first = [("queued", queued), ("name lookup", nameLookup)].sorted { ($0.1 ?? .zero) < ($1.1 ?? .zero) }
    for (name, end) in first + [
      ("connect", connect), ("TLS", secureConnect), ("sending", requestSent), ("waiting", firstByte),
      ("receiving", firstByte.map { max($0, total) }),
    ] {
      guard let end, end >= start else { continue }
      phases.append(Phase(name: name, start: start, end: end))
      start = end
    }
    return phases
  }

  /// A phase of an exchange, such as the TLS handshake.
  public struct Phase: Sendable, Hashable {
    /// The name, as `waterfall` shows it: `queued`, `name lookup`, `connect`, `TLS`, `sending`, `waiting` or `receiving`.
    public let name: String
    /// The start, from the start of the exchange.
    public let start: Duration
    /// The end, from the start of the exchange.
    public let end: Duration

    private static let barWidth = 40

    fileprivate func line(of total: Duration, nameWidth: Int) -> String {
      let first = column(start, total, .down)
      let last = max(first + 1, column(end, total, .up))
      let bar =
        String(repeating: " ", count: first) + String(repeating: "█", count: last - first)
        + String(repeating: " ", count: max(0, Self.barWidth - last))
      let time = (end - start).milliseconds
      return name + String(repeating: " ", count: nameWidth - name.count) + "  " + bar
        + String(repeating: " ", count: max(1, 13 - time.count)) + time
    }

    private func column(_ time: Duration, _ total: Duration, _ rule: FloatingPointRoundingRule) -> Int {
      guard total > .zero else { return 0 }
      let column = (time / total * Double(Self.barWidth)).rounded(rule)
      return min(max(0, Int(saturating: column)), rule == .down ? Self.barWidth - 1 : Self.barWidth)
    }
  }
}

/// A version of HTTP, used or requested.
public enum ProtocolVersion: String, Sendable, Hashable {
  /// HTTP/1.0.
  case http1_0 = "HTTP/1.0"
  /// HTTP/1.1 (RFC 9112).
  case http1_1 = "HTTP/1.1"
  /// HTTP/2 (RFC 9113).
  case http2 = "HTTP/2"
  /// HTTP/3 (RFC 9114).
  case http3 = "HTTP/3"
}
