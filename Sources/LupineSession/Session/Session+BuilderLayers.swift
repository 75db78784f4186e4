public import LupineCore

extension Session.Builder {
  /// Puts a layer between the session and its transport.
  ///
  /// `build()` throws if the places that the layers state contradict each other.
  public func transportLayer(_ layer: TransportLayer) -> Self { changed { $0.layers.append(layer) } }

  /// Bounds the times that `timeouts` leaves without a bound, for a plugin that brings defaults; whichever is shorter holds.
  ///
  /// - Parameters:
  ///   - total: how long a request may take as a whole. Default: `nil`, which leaves it as it is.
  ///   - attempt: how long an attempt may take. Default: `nil`, which leaves it as it is.
  public func boundingTimes(total: Duration? = nil, attempt: Duration? = nil) -> Self {
    changed {
      $0.pluginTimeouts.total = total ?? $0.pluginTimeouts.total
      $0.pluginTimeouts.attempt = attempt ?? $0.pluginTimeouts.attempt
    }
  }

  /// The transport with the layers around it.
  func layered(_ transport: any Transport, _ issues: inout [ConfigurationIssue]) -> any Transport {
    guard let ordered = TransportLayer.ordered(layers) else {
      let names = layers.map { "\($0.name)" }.joined(separator: ", ")
      let reason = "the places that the layers state contradict each other; the layers are \(names)"
      issues.append(ConfigurationIssue(part: "transportLayer", reason: reason))
      return transport
    }
    return ordered.reversed().reduce(transport) { $1.wrap($0) }
  }
}
