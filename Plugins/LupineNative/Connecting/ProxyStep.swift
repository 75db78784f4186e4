import LupineCore
import LupineEventLoop

/// Takes a connection through the negotiation with its proxy.
final class ProxyStep: ConnectionStep, TurnTaker {
  private let proxy: Proxy
  private var negotiation: any ProxyNegotiation
  /// The bytes that the system has not taken yet.
  private var unsent: [UInt8]
  private var outcome = NegotiationProgress.Outcome.incomplete
  /// The establishment outlives the step's use of its connection.
  private weak var establishment: Establishment?
  private var turn = TurnShare()

  init(_ negotiation: any ProxyNegotiation, with proxy: Proxy) {
    self.proxy = proxy
    self.negotiation = negotiation
    unsent = negotiation.opening
  }

  func begin(_ establishment: Establishment) {
    self.establishment = establishment
    advance(establishment)
  }

  func connectionIsReady(_ connection: Connection) {
    guard let establishment else { return }
    turn.begin(establishment.loop.turnShare)
    advance(establishment)
  }

  /// Continues in a new turn, after the step has used its share of an earlier one.
  func resumeAfterYield() {
    guard let establishment else { return }
    turn.resume(establishment.loop.turnShare)
    advance(establishment)
  }

  /// Sends and receives until the system has nothing more, the turn is used up, or the negotiation is over.
  private func advance(_ establishment: Establishment) {
    let connection = establishment.connection
    do throws(LupineError) {
      while try send(on: connection) {
        if case .incomplete = outcome {
          if turn.isUsedUp {
            if turn.yield() { establishment.loop.resumeNextTurn(self) }
            return
          }
          guard connection.mayReceive, try receive(on: connection, establishment.loop.buffers.incoming) else { return }
        } else {
          return finish(establishment)
        }
      }
    } catch {
      self.establishment = nil
      if negotiation.isTargetRefused { return establishment.targetRefused(error) }
      establishment.stepFailed(error)
    }
  }

  /// Sends the bytes that wait; returns false if the system takes no more for now.
  private func send(on connection: Connection) throws(LupineError) -> Bool {
    while !unsent.isEmpty {
      switch unsent.withUnsafeBytes({ connection.send($0) }) {
      case .bytes(let count): unsent.removeFirst(count)
      case .wouldBlock, .overhead: return false
      case .end: throw ended(connection)
      case .failure(let error): throw ended(connection, error)
      }
    }
    return true
  }

  /// Receives a piece; returns false if there is none.
  private func receive(
    on connection: Connection, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> Bool {
    switch connection.receive(into: buffer, &turn) {
    case .bytes(let count):
      turn.count(count)
      turn.countFields(count)
      let progress = try negotiation.process(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      unsent += progress.output
      outcome = progress.outcome
      return true
    case .overhead: return true
    case .wouldBlock: return false
    case .end: throw ended(connection)
    case .failure(let error): throw ended(connection, error)
    }
  }

  private func ended(_ connection: Connection, _ error: SystemError? = nil) -> LupineError {
    let detail = connection.failure?.message ?? error.map { "(\($0.text))" } ?? ""
    return LupineError(
      .proxyFailed,
      "The proxy \(proxy) ended the connection before the request was sent." + (detail.isEmpty ? "" : " \(detail)"))
  }

  private func finish(_ establishment: Establishment) {
    self.establishment = nil
    switch outcome {
    case .incomplete: return
    case .open(let response):
      if let response { establishment.context.emit(.tunnelled(response)) }
      establishment.stepFinished()
    case .refused(let response): establishment.tunnelRefused(response)
    }
  }
}
