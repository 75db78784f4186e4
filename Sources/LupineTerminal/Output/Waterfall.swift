#if Terminal
  import LupineCore

  /// The exchanges of a request as a picture: each phase with its bar, redirects and retries below each other.
  struct Waterfall {
    private let hops: [ExchangeLog.Hop]
    private let start: Duration
    private let end: Duration
    private let barWidth: Int

    private static let nameWidth = 11
    private static let timeWidth = 9

    /// - Parameter width: the columns of the picture, at least 40.
    init(_ log: ExchangeLog, width: Int) {
      hops = log.attempts.flatMap(\.hops)
      start = hops.first?.started ?? .zero
      end = hops.map { $0.started + ($0.metrics?.total ?? .zero) }.max() ?? start
      barWidth = max(40, min(width, 100)) - Self.nameWidth - Self.timeWidth - 3
    }

    /// The lines of the picture.
    var lines: [String] { hops.flatMap(lines) }

    private func lines(_ hop: ExchangeLog.Hop) -> [String] {
      let status = hop.status.map { " \($0)" } ?? " failed"
      let head = "\(hop.request.method.rawValue) \(hop.request.url)\(status)"
      guard let metrics = hop.metrics else { return [head] }
      return [head] + metrics.phases.map { line($0, after: hop.started - start) } + summary(metrics)
    }

    private func line(_ phase: TransferMetrics.Phase, after offset: Duration) -> String {
      let first = column(offset + phase.start, .down)
      let last = max(first + 1, column(offset + phase.end, .up))
      let bar = Self.blanks(first) + String(repeating: "█", count: last - first) + Self.blanks(barWidth - last)
      let time = Self.milliseconds(phase.end - phase.start)
      return phase.name + Self.blanks(Self.nameWidth - phase.name.count) + "  " + bar
        + Self.blanks(max(1, Self.timeWidth + 1 - time.count)) + time
    }

    private func summary(_ metrics: TransferMetrics) -> [String] {
      var first = "\(Self.milliseconds(metrics.total)), \(metrics.bytesReceived) B received"
      if metrics.bytesSent > 0 { first += ", \(metrics.bytesSent) B sent" }
      var second: [String] = []
      if let version = metrics.version { second.append(version.rawValue) }
      if let address = metrics.remoteAddress { second.append(address) }
      if metrics.isConnectionReused { second.append("reused") }
      return ["  " + first] + (second.isEmpty ? [] : ["  " + second.joined(separator: ", ")])
    }

    private func column(_ time: Duration, _ rule: FloatingPointRoundingRule) -> Int {
      let whole = end - start
      guard whole > .zero else { return 0 }
      let column = Int((time / whole * Double(barWidth)).rounded(rule))
      return min(max(0, column), rule == .down ? barWidth - 1 : barWidth)
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    private static func milliseconds(_ time: Duration) -> String {
      let hundredths = Int((time / .milliseconds(1) * 100).rounded())
      let fraction = hundredths % 100
      return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
    }
  }
#endif
