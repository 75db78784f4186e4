import FoundationEssentials
import LupineCore
import LupineSupport

/// The state of a mock.
struct MockState {
  private(set) var table = StubTable()
  private(set) var isShutDown = false
  var requests: [RecordedRequest] = []
  var monitors: [ExchangeLogMonitor] = []
  var chains: [String: PresentedChain] = [:]
  var addresses: [String: [[IPAddress]]] = [:]
  /// The exchanges of sessions that limit the number of concurrent exchanges.
  var line = MockLine()
  /// Set while no exchange is running.
  let idle = Signal(isSet: true)
  private var exchanges: [ObjectIdentifier: (number: Int, exchange: MockExchange)] = [:]
  private var exchangeCount = 0
  private var stubCount = 0

  /// Returns the number of the next stub, from 0.
  mutating func nextPlace() -> Int {
    defer { stubCount += 1 }
    return stubCount
  }

  mutating func add(_ stub: Stub) { table.add(stub) }

  /// Removes the recorded body of a request for which no connection was made.
  mutating func takeBackBody(of request: RecordedRequest) {
    let index = requests.lastIndex { $0.id == request.id && $0.attempt == request.attempt && $0.url == request.url }
    if let index { requests[index].takeBackBody() }
  }

  /// Adds an exchange; returns false after the shutdown.
  mutating func enter(_ exchange: MockExchange) -> Bool {
    guard !isShutDown else { return false }
    if exchanges.isEmpty { idle.clear() }
    exchangeCount += 1
    exchanges[ObjectIdentifier(exchange)] = (exchangeCount, exchange)
    return true
  }

  /// Removes an exchange; returns true if it was the last.
  mutating func leave(_ exchange: MockExchange) -> Bool {
    exchanges[ObjectIdentifier(exchange)] = nil
    return exchanges.isEmpty
  }

  mutating func shutDown() -> [MockExchange] {
    isShutDown = true
    return exchanges.values.sorted { $0.number < $1.number }.map(\.exchange)
  }
}
