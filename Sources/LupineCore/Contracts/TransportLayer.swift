/// A transport that wraps another one and receives every exchange of a session.
///
/// A layer receives each redirect, each answer to a challenge and each retry, with the fields that are sent and the
/// bytes of bodies before they are decoded. A session may have any number of layers. A layer states its position
/// relative to other layers by their names; a name that is not present has no effect. Layers without stated positions
/// keep the order in which they are added, the first one outermost.
///
///     builder.transportLayer(
///       TransportLayer("recording", inside: [.cache], outside: [.circuitBreaker]) { RecordingTransport(base: $0) })
///
/// A layer reads the options that plugins declare from the request (`RequestOptionKey`), states attributes of the
/// response (`ResponseAttributeKey`), and starts work that outlasts a request with
/// `TransferContext.startBackgroundTask(_:)`.
///
/// The transport that `wrap` returns forwards `capabilities` and `shutdown()` to its base. It needs none of the
/// requirements of `Transport` that have defaults (`isVirtual`, `issues(with:)`, `makeMonitor()`, `connectionPool()`):
/// the session asks the builder's transport for these and for the capabilities, without its layers. A layer therefore
/// neither adds nor hides a capability. A transport that `TransportOverride` puts in the place of the builder's is
/// asked, and forwards them all.
public struct TransportLayer: Sendable {
  /// The name of a layer.
  ///
  /// Other layers state their position with it.
  public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text of the name.
    public let description: String

    /// Creates a name from its text.
    public init(stringLiteral text: String) { description = text }
  }

  /// The layer's name.
  public let name: Name
  /// The layers that enclose this one.
  ///
  /// They receive an exchange first.
  public let inside: Set<Name>
  /// The layers that this one encloses.
  ///
  /// They receive an exchange after this one.
  public let outside: Set<Name>
  /// Makes the layer around a transport.
  ///
  /// `Session.Builder.build()` calls it once for each session, before it returns; two sessions may be built at the same
  /// time.
  public let wrap: @Sendable (any Transport) -> any Transport

  /// Describes a layer.
  ///
  /// - Parameters:
  ///   - name: the name by which other layers refer to this one.
  ///   - inside: the layers that enclose this one. Default: none.
  ///   - outside: the layers that this one encloses. Default: none.
  ///   - wrap: makes the layer around a transport; `build()` calls it once for each session.
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

// The names of the standard layers, from the outermost to the innermost.
extension TransportLayer.Name {
  /// Makes a span for each exchange.
  public static let tracing: TransportLayer.Name = "tracing"
  /// Answers from stored responses.
  public static let cache: TransportLayer.Name = "cache"
  /// Sends a second exchange if the first one has no answer yet.
  public static let hedging: TransportLayer.Name = "hedging"
  /// Limits the number of concurrent exchanges.
  public static let concurrencyLimit: TransportLayer.Name = "concurrencyLimit"
  /// Limits the number of exchanges that begin within a period.
  public static let rateLimit: TransportLayer.Name = "rateLimit"
  /// Refuses exchanges with a server that fails repeatedly.
  public static let circuitBreaker: TransportLayer.Name = "circuitBreaker"
}
