import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// The state of a mock.
struct MockState {
  private(set) var table = StubTable()
  var requests: [RecordedRequest] = []
  var monitors: [ExchangeLogMonitor] = []
  var chains: [String: PresentedChain] = [:]
  var addresses: [String: [[IPAddress]]] = [:]
  /// The exchanges of sessions that limit the number of concurrent exchanges.
  var connectionQueue = MockConnectionQueue()
  private var stubCount = 0

  /// Returns the number of the next stub, from 0.
  mutating func nextPlace() -> Int {
    defer { stubCount += 1 }
    return stubCount
  }

  mutating func add(_ stub: Stub) { table.add(stub) }

  /// Removes the recorded body of a request for which no connection was made.
  mutating func removeBody(of request: RecordedRequest) {
    let index = requests.lastIndex { $0.id == request.id && $0.attempt == request.attempt && $0.url == request.url }
    if let index { requests[index].removeBody() }
  }
}

/// The running and waiting exchanges of sessions that limit the number of concurrent exchanges.
struct MockConnectionQueue {
  /// The wait of an exchange, and its reason.
  struct Wait: Sendable {
    let turn = Waiter<Void>()
    let reason: String
  }

  private let limiter = ConnectionLimiter(perHost: .max, total: .max)
  private var waits: [UInt64: Wait] = [:]
  private var count: UInt64 = 0

  /// Adds an exchange and returns its number; the wait is `nil` if the exchange may begin.
  mutating func enter(_ request: OutgoingRequest, _ options: ConnectionOptions) -> (id: UInt64, wait: Wait?) {
    count += 1
    let host = limiter.host(of: request.url)
    let exchange = QueuedExchange(count, priority: request.options.priority, options)
    guard !limiter.enter(exchange, at: host) else { return (count, nil) }
    let wait = Wait(reason: limiter.reason(for: exchange, at: host))
    waits[count] = wait
    return (count, wait)
  }

  /// Removes a running or waiting exchange; returns the waiters that may begin now.
  mutating func leave(_ id: UInt64, _ url: HTTPURL) -> [Waiter<Void>] {
    waits[id] = nil
    let host = limiter.host(of: url)
    limiter.leave(id, from: host)
    var turns: [Waiter<Void>] = []
    while let next = limiter.next() {
      if let wait = waits.removeValue(forKey: next) { turns.append(wait.turn) }
    }
    return turns
  }
}

/// The certificates that a host presents in its TLS handshake.
struct PresentedChain: Sendable {
  let presented: [Data]
  let verified: [Data]?
  let verificationFailure: String?
  let stapledOCSPResponse: Data?
}

/// A chain that no evaluator checks, and whose verification the mock reports as failed.
struct ChainVerificationFailure: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = "the chain did not verify: \(reason)" }
}
