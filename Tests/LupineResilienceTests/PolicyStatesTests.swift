import LupineCore
import Synchronization
import Testing

@testable import LupineResilience

/// The states of policies by key.
@Suite struct PolicyStatesTests {
  private let states = PolicyStates<Int>(by: .custom { String($0.url.path.dropFirst()) }, limit: 3, isInUse: { $0 > 0 })
  {
    0
  }

  /// A request whose key is the name.
  private func named(_ name: String) throws -> OutgoingRequest {
    OutgoingRequest(url: try HTTPURL("https://api.example.com/\(name)"))
  }

  private func use(_ names: String...) throws { for name in names { _ = states.entry(of: try named(name)) } }

  @Test func `a key has one state`() throws {
    let first = states.entry(of: try named("a"))
    try use("b")
    #expect(states.entry(of: try named("a")) === first)
    #expect(states.known(of: try named("a")) === first)
    #expect(states.known(of: try named("c")) == nil)
  }

  @Test(arguments: [
    ("https://api.example.com/a", true), ("https://API.example.com:443/b?c", true), ("http://api.example.com/a", false),
    ("https://api.example.com:8443/a", false), ("https://api.example.co/a", false),
    ("https://www.example.com/a", false),
  ])
  func `requests with one origin share a state`(url: String, isShared: Bool) throws {
    let states = PolicyStates<Int>(by: .origin) { 0 }
    let first = states.entry(of: try named("first"))
    let request = OutgoingRequest(url: try HTTPURL(url))
    #expect((states.entry(of: request) === first) == isShared)
    #expect(states.entry(of: try named("last")) === first)
  }

  @Test func `states that were not used recently are dropped`() throws {
    let first = states.entry(of: try named("a"))
    try use("b", "c", "d", "e", "f", "g")
    #expect(states.known(of: try named("a")) == nil)
    #expect(states.entry(of: try named("a")) !== first)
    #expect(states.known(of: try named("g")) != nil)
  }

  @Test func `a state in use is kept`() throws {
    let first = states.entry(of: try named("a"))
    first.state.withLock { $0 = 1 }
    try use("b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
    #expect(states.known(of: try named("a")) === first)
    first.state.withLock { $0 = 0 }
    try use("m", "n", "o", "p", "q", "r", "s")
    #expect(states.known(of: try named("a")) == nil)
  }
}
