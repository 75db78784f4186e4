import FoundationEssentials
import LupineCore
import LupineSupport

/// What a mock knows.
struct MockState {
  private(set) var table = StubTable()
  private(set) var isShutDown = false
  var requests: [RecordedRequest] = []
  var monitors: [ExchangeLogMonitor] = []
  var chains: [String: PresentedChain] = [:]
  var addresses: [String: [[IPAddress]]] = [:]
  /// The exchanges of sessions that limit how many are under way.
  var line = MockLine()
  /// Set while no exchange is under way.
  let idle = Signal(isSet: true)
  private var exchanges: [ObjectIdentifier: (number: Int, exchange: MockExchange)] = [:]
  private var exchangeCount = 0
  private var stubCount = 0

  /// Numbers a stub that is about to be added, from 0.
  mutating func nextPlace() -> Int {
    defer { stubCount += 1 }
    return stubCount
  }

  mutating func add(_ stub: Stub) { table.add(stub) }

  /// Notes that no connection came about to send a request's body.
  mutating func takeBackBody(of request: RecordedRequest) {
    let index = requests.lastIndex { $0.id == request.id && $0.attempt == request.attempt && $0.url == request.url }
    if let index { requests[index].takeBackBody() }
  }

  /// Takes an exchange in; false after the shutdown.
  mutating func enter(_ exchange: MockExchange) -> Bool {
    guard !isShutDown else { return false }
    if exchanges.isEmpty { idle.clear() }
    exchangeCount += 1
    exchanges[ObjectIdentifier(exchange)] = (exchangeCount, exchange)
    return true
  }

  /// Lets an exchange go; true when it was the last.
  mutating func leave(_ exchange: MockExchange) -> Bool {
    exchanges[ObjectIdentifier(exchange)] = nil
    return exchanges.isEmpty
  }

  mutating func shutDown() -> [MockExchange] {
    isShutDown = true
    return exchanges.values.sorted { $0.number < $1.number }.map(\.exchange)
  }
}
