import LupineCore
import Synchronization
import Testing

@testable import LupineResilience

/// The states of policies by key.
@Suite struct PolicyStatesTests {
  private let states = PolicyStates<Int>(limit: 3, isInUse: { $0 > 0 }) { 0 }

  private func use(_ names: String...) { for name in names { _ = states.entry(.custom(name)) } }

  @Test func `a key has one state`() {
    let first = states.entry(.custom("a"))
    use("b")
    #expect(states.entry(.custom("a")) === first)
    #expect(states.known(.custom("a")) === first)
    #expect(states.known(.custom("c")) == nil)
  }

  @Test func `states that were not used recently are dropped`() {
    let first = states.entry(.custom("a"))
    use("b", "c", "d", "e", "f", "g")
    #expect(states.known(.custom("a")) == nil)
    #expect(states.entry(.custom("a")) !== first)
    #expect(states.known(.custom("g")) != nil)
  }

  @Test func `a state in use is kept`() {
    let first = states.entry(.custom("a"))
    first.state.withLock { $0 = 1 }
    use("b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
    #expect(states.known(.custom("a")) === first)
    first.state.withLock { $0 = 0 }
    use("m", "n", "o", "p", "q", "r", "s")
    #expect(states.known(.custom("a")) == nil)
  }
}
