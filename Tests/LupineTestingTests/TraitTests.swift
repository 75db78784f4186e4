import HTTPTypes
import LupineCore
import LupineMock
import LupineTesting
import Synchronization
import Testing

@Suite struct TraitTests {
  @Test(.mock) func `a test has a mock of its own`() async throws {
    let mock = try #require(MockTransport.current)
    mock.stub(.get, "/", .text("mine"))
    let session = try Session.Builder().transport(mock).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "mine")
    #expect(mock.requests.count == 1)
  }

  @Test(.mock, arguments: 0..<5) func `each case has its own`(number: Int) async throws {
    let mock = try #require(MockTransport.current)
    mock.stub(.get, "/", .text("\(number)"))
    let session = try Session.Builder().transport(mock).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "\(number)")
    #expect(mock.requests.count == 1)
  }

  @Test func `a stub that was not used is the test's issue`() async throws {
    let test = try #require(Test.current)
    try await withKnownIssue {
      try await MockTrait.mock.provideScope(for: test, testCase: nil) {
        MockTransport.current?.stub(.get, "/never", .status(.ok))
      }
    } matching: {
      ($0.error as? LupineError)?.kind == .unusedStub
    }
  }

  @Test func `what is wrong is noted at the line of its stub`() async throws {
    let test = try #require(Test.current)
    let places = Mutex<[String]>([])
    let line = #line + 4
    try await withKnownIssue {
      try await MockTrait.mock.provideScope(for: test, testCase: nil) {
        let mock = try #require(MockTransport.current)
        mock.stub(.get, "/never", .status(.ok))
        mock.stub(.get, "/{broken", .status(.ok))
        let session = try Session.Builder().transport(mock).build()
        _ = await session.request("https://example.com/unexpected").serializingData().response
      }
    } matching: { issue in
      let kind = (issue.error as? LupineError).map { "\($0.kind)" } ?? "another error"
      let file = issue.sourceLocation?.fileName ?? ""
      places.withLock { $0.append("\(kind) \(file):\(issue.sourceLocation?.line ?? 0)") }
      return true
    }
    #expect(
      Set(places.withLock { $0 }) == [
        "unusedStub TraitTests.swift:\(line)", "invalidStub TraitTests.swift:\(line + 1)",
        "unmatchedRequest TraitTests.swift:\(test.sourceLocation.line)",
      ])
  }

  @Test(.mock(verifies: false)) func `a mock need not be verified`() throws {
    try #require(MockTransport.current).stub(.get, "/never", .status(.ok))
  }

  @Test(.simulated(seed: 4)) func `a test runs in a simulation`() async throws {
    let world = try #require(Simulation.current)
    #expect(world.seed == 4)
    try await world.sleep(for: .seconds(1_000_000))
    #expect(world.clock.now.offset == .seconds(1_000_000))
  }
}
