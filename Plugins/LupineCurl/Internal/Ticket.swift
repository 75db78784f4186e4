/// Identifies an exchange, and sends commands for it to the loop from other threads.
final class Ticket: Sendable {
  let id: UInt64
  private let engine: Engine

  init(_ id: UInt64, _ engine: Engine) {
    self.id = id
    self.engine = engine
  }

  /// Ends the exchange.
  func cancel() { engine.post(.cancel(id)) }

  /// Passes on the result of the lookup of the host's name.
  func resolved(_ outcome: HostLookups.Outcome) { engine.post(.resolved(id, outcome)) }

  /// Continues to receive, because the sink of the response has room again.
  func receive() { engine.post(.receive(id)) }

  /// Continues to send, because the reader of the request's body has bytes again.
  func provide() { engine.post(.provide(id)) }
}
