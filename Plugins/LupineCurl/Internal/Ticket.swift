/// What others keep of an exchange to speak of it to its loop: its number, in one object for all that may be said.
final class Ticket: Sendable {
  let id: UInt64
  private let engine: Engine

  init(_ id: UInt64, _ engine: Engine) {
    self.id = id
    self.engine = engine
  }

  /// Ends the exchange.
  func cancel() { engine.post(.cancel(id)) }

  /// The name of the exchange's host has been looked up.
  func resolved(_ outcome: HostLookups.Outcome) { engine.post(.resolved(id, outcome)) }

  /// The sink of the response has room again.
  func receive() { engine.post(.receive(id)) }

  /// The reader of the request's body has bytes again.
  func provide() { engine.post(.provide(id)) }
}
