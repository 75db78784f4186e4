/// A transport around another one, which sees every exchange of a session: each redirect, each answer to a challenge and
/// each retry, with the fields that are sent and the bytes of bodies before they are decoded.
///
/// A session may have any number of layers. A layer states its place relative to others by their names, whether or not
/// these are there; layers that state nothing stand in the order in which they are added, the first one outermost.
///
///     builder.transportLayer(
///       TransportLayer("recording", inside: [.cache], outside: [.circuitBreaker]) { RecordingTransport(base: $0) })
///
/// The transport that `wrap` returns forwards `capabilities` and `shutdown()` to its base.
public struct TransportLayer: Sendable {
  /// The name of a layer, by which other layers state their place.
  public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Makes a name of its text.
    public init(stringLiteral text: String) { description = text }
  }

  /// The layer's name.
  public let name: Name
  /// The layers that this one stands inside of: they see an exchange first.
  public let inside: Set<Name>
  /// The layers that this one stands outside of: it sees an exchange before they do.
  public let outside: Set<Name>
  /// Makes the layer around a transport; called once for each session, by `Session.Builder.build()`.
  public let wrap: @Sendable (any Transport) -> any Transport

  /// Describes a layer.
  ///
  /// - Parameters:
  ///   - name: by what name other layers refer to it.
  ///   - inside: the layers that are to stand outside of it. Default: none.
  ///   - outside: the layers that are to stand inside of it. Default: none.
  ///   - wrap: makes the layer around a transport.
  public init(
    _ name: Name, inside: Set<Name> = [], outside: Set<Name> = [],
    wrap: @escaping @Sendable (any Transport) -> any Transport
  ) {
    self.name = name
    self.inside = inside
    self.outside = outside
    self.wrap = wrap
  }
}

// The names of the usual layers, from the outermost to the innermost.
extension TransportLayer.Name {
  /// Makes a span of each exchange.
  public static let tracing: TransportLayer.Name = "tracing"
  /// Answers from stored responses.
  public static let cache: TransportLayer.Name = "cache"
  /// Makes an exchange again before its answer has come.
  public static let hedging: TransportLayer.Name = "hedging"
  /// Limits how many exchanges are under way.
  public static let concurrencyLimit: TransportLayer.Name = "concurrencyLimit"
  /// Limits how many exchanges begin in a time.
  public static let rateLimit: TransportLayer.Name = "rateLimit"
  /// Refuses exchanges with a server that keeps failing.
  public static let circuitBreaker: TransportLayer.Name = "circuitBreaker"
}

extension TransportLayer {
  /// The layers from the outermost to the innermost; `nil` where what they state contradicts itself.
  ///
  /// Of the layers that may come next, the one that was added first does.
  package static func ordered(_ layers: [TransportLayer]) -> [TransportLayer]? {
    var rest = layers
    var ordered: [TransportLayer] = []
    while !rest.isEmpty {
      let next = rest.firstIndex { layer in !rest.contains { $0.standsOutside(of: layer) } }
      guard let next else { return nil }
      ordered.append(rest.remove(at: next))
    }
    return ordered
  }

  private func standsOutside(of other: TransportLayer) -> Bool {
    outside.contains(other.name) || other.inside.contains(name)
  }
}
