import LupineCore
public import LupineDoubles
import LupineSupport

/// The rates of faults, delays and cancellations in an exploration.
public struct FaultMix: Sendable, Hashable {
  /// The ratio of exchanges with a fault, from 0 to 1.
  ///
  /// Default: 0.15.
  public var faultRate = 0.15
  /// The faults to draw from, with equal probability.
  ///
  /// A fault that cannot occur for a request is excluded: `tlsRefused` without TLS, `goAway` without HTTP/2, and
  /// `resetInRequest` without a body.
  ///
  /// Default: faults before and in the response that a failing network or server causes.
  public var faults: [NetworkFault] = FaultMix.usual
  /// The ratio of delayed exchanges, from 0 to 1.
  ///
  /// Default: 0.5.
  public var delayRate = 0.5
  /// The range of the delays, in whole milliseconds.
  ///
  /// Default: 1 millisecond to 2 seconds.
  public var delays: ClosedRange<Duration> = .milliseconds(1)...(.seconds(2))
  /// The ratio of exchanges whose request is cancelled, within the longest delay, from 0 to 1.
  ///
  /// Default: 0, because a program must expect a cancellation only where it cancels.
  public var cancellationRate = 0.0

  /// Creates the usual mix.
  public init() {}

  /// Creates the usual mix with changes.
  public init(_ change: (inout FaultMix) -> Void) { change(&self) }

  /// The usual mix with cancellations.
  public static var withCancellations: FaultMix { FaultMix { $0.cancellationRate = 0.05 } }

  /// The faults of the usual mix.
  public static let usual: [NetworkFault] = [
    .hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .connectionStalled, .resetBeforeHead,
    .stallBeforeHead, .resetAfterHead, .reset(afterBytes: 1), .stall(afterBytes: 1), .truncated(afterBytes: 1),
    .malformedChunk, .goAway,
  ]

  /// Draws the faults of one exchange with this request.
  func draw(seed: UInt64, exchange: Int, _ request: OutgoingRequest) -> [InjectedFault] {
    var generator = SeededGenerator(seed: seed, stream: UInt64(exchange) << 8 | 3)
    var drawn: [InjectedFault.Action] = []
    if generator.fraction() < delayRate { drawn.append(.delay(duration(&generator))) }
    let possible = faults.filter { $0.canOccur(in: request) }
    if generator.fraction() < faultRate, let fault = possible.randomElement(using: &generator) {
      drawn.append(.fault(fault))
    }
    if generator.fraction() < cancellationRate { drawn.append(.cancel(after: duration(&generator))) }
    return drawn.map { InjectedFault(exchange: exchange, $0) }
  }

  private func duration(_ generator: inout SeededGenerator) -> Duration {
    let (shortest, longest) = (delays.lowerBound.bounded, delays.upperBound.bounded)
    let drawn = shortest + (longest - shortest) * generator.fraction()
    return .milliseconds(Int64(saturating: drawn / .milliseconds(1)))
  }
}

extension NetworkFault {
  /// Whether the fault can occur in an exchange of the request.
  fileprivate func canOccur(in request: OutgoingRequest) -> Bool {
    switch self {
    case .tlsRefused: request.url.scheme == .https
    case .resetInRequest: request.hasBody
    // A cleartext connection uses HTTP/2 only if the request asks for it.
    case .goAway: request.options.version.map { $0 == .http2 } ?? (request.url.scheme == .https)
    default: true
    }
  }
}

/// An event that a simulation injects into one exchange, in addition to the stub's reply.
public struct InjectedFault: Sendable, Hashable {
  /// The number of the exchange with a mock, from 1 in the order of beginning.
  public let exchange: Int
  /// The injected event.
  public let action: Action

  /// Creates an event for an exchange.
  public init(exchange: Int, _ action: Action) {
    self.exchange = exchange
    self.action = action
  }

  /// An event that can be injected into an exchange.
  public enum Action: Sendable, Hashable {
    /// A network fault, in place of the stub's own fault.
    case fault(NetworkFault)
    /// The reply is delayed by this duration.
    case delay(Duration)
    /// The request is cancelled this long after the exchange began, unless it has ended.
    case cancel(after: Duration)
  }
}

extension InjectedFault: CustomStringConvertible {
  /// The fault in Swift syntax.
  public var description: String { ".init(exchange: \(exchange), \(action))" }
}

extension InjectedFault.Action: CustomStringConvertible {
  /// The action in Swift syntax.
  public var description: String {
    switch self {
    case .fault(let fault): ".fault(\(fault))"
    case .delay(let duration): ".delay(\(duration.literal))"
    case .cancel(let duration): ".cancel(after: \(duration.literal))"
    }
  }
}
