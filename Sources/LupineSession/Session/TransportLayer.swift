public import LupineCore

/// Something between a session and its transport, which sees every exchange.
///
/// Whatever the order in which layers are added, they stand in the order of their places.
package struct TransportLayer: Sendable {
  /// Where a layer stands, from the outside in.
  package enum Place: Int, Sendable, Comparable {
    case tracing
    case hedging
    case concurrency
    case rate
    case circuit

    package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
  }

  let place: Place
  let wrap: @Sendable (any Transport) -> any Transport
}

extension Session.Builder {
  /// Puts a layer between the session and its transport; of those at the same place the first one added is the outermost.
  package func transportLayer(
    _ place: TransportLayer.Place, _ wrap: @escaping @Sendable (any Transport) -> any Transport
  ) -> Self {
    changed { $0.layers.append(TransportLayer(place: place, wrap: wrap)) }
  }

  /// Bounds the times that `timeouts` leaves without a bound, whichever comes first.
  package func boundingTimes(total: Duration? = nil, attempt: Duration? = nil) -> Self {
    changed {
      $0.pluginTimeouts.total = total ?? $0.pluginTimeouts.total
      $0.pluginTimeouts.attempt = attempt ?? $0.pluginTimeouts.attempt
    }
  }

  /// The transport with the layers around it.
  func layered(_ transport: any Transport) -> any Transport {
    let ordered = layers.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
    return ordered.reversed().reduce(transport) { $1.element.wrap($0) }
  }
}
