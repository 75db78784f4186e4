/// Stands between a session and its transport, and receives every exchange of the session.
///
/// A layer receives each redirect, each answer to a challenge and each retry, with the fields that are sent and the
/// bytes of bodies before they are decoded. It adds no capability and needs no `shutdown()`: work that outlasts an
/// exchange is a task of the session (`TransferContext.startBackgroundTask(_:)`).
///
/// A layer reads the options that plugins declare from the request (`RequestOptionKey`), and states attributes of the
/// response (`ResponseAttributeKey`).
///
/// ```swift
/// /// Names the server of each response.
/// enum ServerName: ResponseAttributeKey {
///   typealias Value = String
/// }
///
/// struct ServerLayer: ExchangeLayer {
///   func send(
///     _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
///   ) async throws(LupineError) -> TransportResponse {
///     var response = try await next(request, in: context)
///     response.attributes[ServerName.self] = response.head.headerFields[.server]
///     return response
///   }
/// }
/// ```
///
/// `Session.Builder.exchangeLayer(_:inside:outside:_:)` adds a layer to a session.
public protocol ExchangeLayer: Sendable {
  /// Makes one exchange.
  ///
  /// Called for each exchange, from any thread, for several exchanges at the same time. The rules of `Transport.send`
  /// for cancellation, errors and the response's body apply.
  ///
  /// - Parameters:
  ///   - request: the request with all its fields.
  ///   - context: the exchange. A layer that sends the exchange several times gives each of them a branch
  ///     (`TransferContext.branch(_:)`).
  ///   - next: the next layer, or the transport. The layer may call it any number of times, also concurrently, with
  ///     another request or context, or after this method has returned.
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse
}

// A struct instead of a closure, so that a layer calls the next one without an allocation or a function conversion.
/// The layers that an exchange has not passed yet, and the transport.
public struct NextExchange: Sendable {
  // Classes, because an existential is copied by a call of the runtime.
  @usableFromInline
  enum Step: Sendable {
    case layer(Link)
    case transport(End)
  }

  /// A layer, and what comes after it.
  @usableFromInline
  final class Link: Sendable {
    @usableFromInline let layer: any ExchangeLayer
    @usableFromInline let next: NextExchange

    init(_ layer: any ExchangeLayer, next: NextExchange) {
      self.layer = layer
      self.next = next
    }
  }

  /// The transport at the end of the chain.
  @usableFromInline
  final class End: Sendable {
    @usableFromInline let transport: any Transport

    init(_ transport: any Transport) { self.transport = transport }
  }

  @usableFromInline let step: Step

  /// Creates the chain of layers, which ends at a transport.
  ///
  /// - Parameter layers: the layers, the first one outermost. Default: none.
  public init(through layers: [any ExchangeLayer] = [], to transport: any Transport) {
    self = layers.reversed().reduce(NextExchange(.transport(End(transport)))) { next, layer in
      NextExchange(.layer(Link(layer, next: next)))
    }
  }

  private init(_ step: Step) { self.step = step }

  // Inlinable, so that a layer is one asynchronous function: `Benchmarks/README.md` has the figures.
  /// Sends an exchange to the next layer, or to the transport if no layer is left.
  ///
  /// - Throws: the error of the layer or of the transport.
  @inlinable @inline(__always)
  public func callAsFunction(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    switch step {
    case .layer(let link): try await link.layer.send(request, in: context, next: link.next)
    case .transport(let end): try await end.transport.send(request, in: context)
    }
  }
}

/// The name of a layer; other layers state their position with it.
public struct LayerName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text of the name.
  public let description: String

  /// Creates a name from its text.
  public init(stringLiteral text: String) { description = text }
}

// The names of the standard layers, from the outermost to the innermost.
extension LayerName {
  /// Makes a span for each exchange.
  public static let tracing: LayerName = "tracing"
  /// Answers from stored responses.
  public static let cache: LayerName = "cache"
  /// Sends a second exchange if the first one has no answer yet.
  public static let hedging: LayerName = "hedging"
  /// Limits the number of concurrent exchanges.
  public static let concurrencyLimit: LayerName = "concurrencyLimit"
  /// Limits the number of exchanges that begin within a period.
  public static let rateLimit: LayerName = "rateLimit"
  /// Refuses exchanges with a server that fails repeatedly.
  public static let circuitBreaker: LayerName = "circuitBreaker"
}
