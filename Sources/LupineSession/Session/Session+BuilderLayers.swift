public import LupineCore

extension Session.Builder {
  /// Adds a layer between the session and its transport.
  ///
  /// `build()` throws if the placements of the layers contradict each other.
  public func transportLayer(_ layer: TransportLayer) -> Self { changed { $0.layers.append(layer) } }

  /// Sets the total and attempt limits that apply where `timeouts` sets none; plugins use it for defaults.
  ///
  /// - Parameters:
  ///   - total: the time limit of a request. Default: `nil`, which changes nothing.
  ///   - attempt: the time limit of an attempt. Default: `nil`, which changes nothing.
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
