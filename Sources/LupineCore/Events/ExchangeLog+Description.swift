import LupineSupport

extension ExchangeLog: CustomStringConvertible {
  /// The whole course of the request, one line per event.
  ///
  /// Times count from the start of the request.
  public var description: String { lines(isTimed: true).joined(separator: "\n") }

  /// The same without times, addresses and transport-specific causes.
  ///
  /// It is equal for two transports with the same behaviour.
  public var outline: String { lines(isTimed: false).joined(separator: "\n") }

  private func lines(isTimed: Bool) -> [String] {
    let request = request?.description ?? attempts.first?.request.description ?? "a request that could not be made"
    return ["\(id) \(request): \(result(isTimed))"] + preparation.map { "  " + line($0, isTimed) }
      + attempts.flatMap { lines($0, isTimed) }
  }

  private func result(_ isTimed: Bool) -> String {
    guard let ended else { return "still running" }
    let count = attempts.count == 1 ? "1 attempt" : "\(attempts.count) attempts"
    let status = attempts.last?.hops.last?.status.map { "status \($0)" } ?? "no response"
    let result = failure == nil ? status : "failed with \(failure.map { $0.kind.text } ?? "")"
    return isTimed ? "\(result) after \((ended - started).milliseconds), \(count)" : "\(result), \(count)"
  }

  private func lines(_ attempt: Attempt, _ isTimed: Bool) -> [String] {
    var lines = ["  attempt \(attempt.number)" + time(attempt.started, isTimed)]
    lines += self.lines(attempt, ofHop: 0, isTimed)
    for (index, hop) in attempt.hops.enumerated() {
      lines.append("    \(hop.request)" + time(hop.started, isTimed))
      lines.append("      \(answer(hop, isTimed))")
      lines += self.lines(attempt, ofHop: index + 1, isTimed)
    }
    return lines + attempt.decisions.filter { !$0.isOfHop }.map { "    " + line($0, isTimed) }
  }

  private func line(_ decision: Decision, _ isTimed: Bool) -> String {
    decision.line(isTimed).annotated(time(decision.time, isTimed))
  }

  /// Returns the decisions of one exchange.
  ///
  /// A wait for a connection is transport-specific.
  private func lines(_ attempt: Attempt, ofHop hop: Int, _ isTimed: Bool) -> [String] {
    attempt.decisions.filter { $0.isOfHop && $0.hop == hop && (isTimed || $0.kind != .queue) }
      .map { "      \($0.text)" }
  }

  private func answer(_ hop: Hop, _ isTimed: Bool) -> String {
    var parts: [String] = []
    if isTimed, let connection = hop.connection {
      parts.append("\(connection.isReused ? "reused connection" : "connection") to \(connection.address)")
    }
    if !hop.informational.isEmpty {
      parts.append("interim \(hop.informational.map(String.init).joined(separator: ", "))")
    }
    parts.append(hop.status.map { "status \($0)" } ?? "no response")
    if let bytes = hop.bytes { parts.append("\(bytes) bytes") }
    return parts.joined(separator: ", ")
  }

  private func time(_ time: Duration, _ isTimed: Bool) -> String {
    isTimed ? " (at \((time - started).milliseconds))" : ""
  }
}

extension ExchangeLog.Decision {
  /// Returns the decision's text.
  ///
  /// Without times it omits failure messages, which may be transport-specific, and random delays.
  fileprivate func line(_ isTimed: Bool) -> String {
    if isTimed { return text }
    switch kind {
    case .failure: return "failed"
    case .retry: return text.hasPrefix("not") ? "not retried" : "retried"
    default: return text
    }
  }
}

extension String {
  /// Returns the text with a note after its first line and deeper indentation of its other lines.
  fileprivate func annotated(_ note: String) -> String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    return ([(lines.first ?? "") + note] + lines.dropFirst().map { "      " + $0 }).joined(separator: "\n")
  }
}
