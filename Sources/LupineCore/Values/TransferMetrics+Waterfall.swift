import LupineSupport

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
