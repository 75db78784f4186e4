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

extension TransferMetrics {
  /// The phases of the exchange one below the other, each with its bar on the exchange's time and its length.
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
  /// Phases that did not happen are left out, as those of a connection that was used again.
  public var waterfall: String {
    let phases = Phase.all(of: self)
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

  /// A stretch of an exchange's time.
  private struct Phase {
    static let barWidth = 40

    let name: String
    let start: Duration
    let end: Duration

    /// Each begins where the one before it ended.
    static func all(of metrics: TransferMetrics) -> [Phase] {
      var phases: [Phase] = []
      var start = Duration.zero
      // A name that a proxy is given by address is looked up before the exchange waits its turn, any other after it.
      let first = [("queued", metrics.queued), ("name lookup", metrics.nameLookup)]
        .sorted { ($0.1 ?? .zero) < ($1.1 ?? .zero) }
      for (name, end) in first + [
        ("connect", metrics.connect), ("TLS", metrics.secureConnect), ("sending", metrics.requestSent),
        ("waiting", metrics.firstByte), ("receiving", metrics.firstByte.map { max($0, metrics.total) }),
      ] {
        // A response may begin while the request is still going out.
        guard let end, end >= start else { continue }
        phases.append(Phase(name: name, start: start, end: end))
        start = end
      }
      return phases
    }

    func line(of total: Duration, nameWidth: Int) -> String {
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
      return min(max(0, Int(column)), rule == .down ? Self.barWidth - 1 : Self.barWidth)
    }
  }
}
