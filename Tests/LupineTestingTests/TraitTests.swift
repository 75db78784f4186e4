import HTTPTypes
import LupineCore
import LupineSession
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

  @Test func `a fault is recorded at the line of its stub`() async throws {
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
      let kind = (issue.error as? LupineError).map { $0.kind.name } ?? "another error"
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

  /// Runs `body` with the trait, and returns the error message and the comments of each recorded issue.
  private static func issues(
    _ trait: MockTrait = .mock, _ body: @Sendable @concurrent () async throws -> Void
  ) async throws -> [(message: String, comments: [String])] {
    let test = try #require(Test.current)
    let issues = Mutex<[(message: String, comments: [String])]>([])
    try await withKnownIssue(isIntermittent: true) {
      try await trait.provideScope(for: test, testCase: nil, performing: body)
    } matching: { issue in
      let message = (issue.error as? LupineError)?.message ?? ""
      issues.withLock { $0.append((message, issue.comments.map(\.rawValue))) }
      return true
    }
    return issues.withLock { $0 }
  }

  @Test func `a test that throws has its verification issues, too`() async throws {
    let issues = try await Self.issues {
      let mock = try #require(MockTransport.current)
      mock.stub(.get, "/never", .status(.ok))
      let session = try Session.Builder().transport(mock).build()
      _ = try await session.request("https://example.com/unexpected").serializingData().value
    }
    #expect(issues.contains { $0.message.contains("GET /never at") })
    #expect(issues.contains { $0.comments.contains { $0.contains("#1 GET https://example.com/unexpected") } })
  }

  @Test func `a test that throws without verifying its mock reports the exchanges`() async throws {
    let issues = try await Self.issues(.mock(verifies: false)) {
      let mock = try #require(MockTransport.current)
      mock.stub(.get, "/", .status(.notFound))
      let session = try Session.Builder().transport(mock).build()
      _ = try await session.request("https://example.com/").validate().serializingData().value
    }
    #expect(issues.count == 2)
    #expect(issues.first?.comments.first?.contains("#1 GET https://example.com/: ") == true)
    #expect(issues.last?.message.contains("404") == true)
  }

  @Test func `an unexpected request is noted with the nearest stubs, and what happened once`() async throws {
    let issues = try await Self.issues {
      let mock = try #require(MockTransport.current)
      mock.stub(.get, "/expected", .status(.ok))
      let session = try Session.Builder().transport(mock).build()
      _ = await session.request("https://example.com/unexpected").serializingData().response
    }
    #expect(issues.count == 2)
    let unexpected = try #require(issues.first).message
    #expect(unexpected.contains("No stub of the mock matches GET https://example.com/unexpected."))
    #expect(unexpected.contains("path: expected /expected, got /unexpected"))
    #expect(issues.filter { $0.comments.contains { $0.contains("What happened:") } }.count == 1)
  }

  @Test func `the nearest stubs are reported once if the test throws the error that names them`() async throws {
    let issues = try await Self.issues {
      let mock = try #require(MockTransport.current)
      mock.stub(.get, "/expected", count: .optional, .status(.ok))
      let session = try Session.Builder().transport(mock).build()
      _ = try await session.request("https://example.com/unexpected").serializingData().value
    }
    #expect(issues.count == 2)
    #expect(issues.count { $0.message.contains("GET https://example.com/unexpected") } == 2)
    #expect(issues.count { $0.message.contains("path: expected /expected, got /unexpected") } == 1)
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
