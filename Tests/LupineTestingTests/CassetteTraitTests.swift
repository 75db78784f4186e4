import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineRecording
import LupineSession
import LupineTesting
import Synchronization
import Testing

/// The trait that plays or records a test's exchanges.
@Suite struct CassetteTraitTests {
  /// A transport that answers as a server does, and is none.
  private struct Server: WrappingTransport {
    let base: any Transport
    var capabilities: TransportCapabilities { base.capabilities.union(.networking) }
    var isVirtual: Bool { false }

    init() {
      let mock = MockTransport()
      mock.stub(.get, "/{any...}") { .text("live \($0.url.path)") }
      base = mock
    }
  }

  /// Runs a test with the trait, and returns the messages of the recorded issues.
  private static func issues(
    _ trait: CassetteTrait, _ body: @Sendable @concurrent () async throws -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    let issues = Mutex<[String]>([])
    try await withKnownIssue(isIntermittent: true) {
      try await trait.provideScope(for: test, testCase: nil, performing: body)
    } matching: { issue in
      let message = (issue.error as? LupineError)?.message ?? "\(issue)"
      issues.withLock { $0.append(message) }
      return true
    }
    return issues.withLock { $0 }
  }

  private static func get(_ path: String, over transport: any Transport = Server()) async throws -> String {
    let session = try Session.Builder().transport(transport).clock(ImmediateClock()).build()
    return try await session.request("https://example.com/" + path).serializingString().value
  }

  private static func trait(
    _ folder: TemporaryFolder, _ options: CassetteOption..., mode: CassetteMode
  ) -> CassetteTrait {
    switch options.count {
    case 0: .cassette("users", in: folder.path, mode: mode)
    default: .cassette("users", in: folder.path, options[0], mode: mode)
    }
  }

  @Test func `a recorded test plays without its transport`() async throws {
    let folder = try TemporaryFolder()
    let recorded = try await Self.issues(Self.trait(folder, mode: .record)) {
      let text1 = try await Self.get("1")
      #expect(text1 == "live /1")
    }
    #expect(recorded.isEmpty)
    #expect(folder.names == ["users.cassette"])
    let played = try await Self.issues(Self.trait(folder, mode: .replay)) {
      let other = MockTransport()
      let text2 = try await Self.get("1", over: Unused(base: other))
      #expect(text2 == "live /1")
      #expect(other.requests.isEmpty)
    }
    #expect(played.isEmpty)
  }

  /// A transport that is not virtual, over a mock that counts.
  private struct Unused: WrappingTransport {
    let base: any Transport
    var isVirtual: Bool { false }
  }

  @Test func `a missing cassette fails the test with the command that records it`() async throws {
    let folder = try TemporaryFolder()
    let issues = try await Self.issues(Self.trait(folder, mode: .replay)) { Issue.record("The test ran.") }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("LUPINE_CASSETTES=record swift test --filter") == true)
  }

  @Test func `an exchange that nobody asks for fails the test, with its line`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.issues(Self.trait(folder, mode: .record)) {
      _ = try await Self.get("1")
      _ = try await Self.get("2")
    }
    let issues = try await Self.issues(Self.trait(folder, mode: .replay)) { _ = try await Self.get("2") }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("GET https://example.com/1 at users.cassette:") == true)
  }

  @Test func `a request that is not recorded fails with the nearest exchanges`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.issues(Self.trait(folder, mode: .record)) { _ = try await Self.get("1") }
    let issues = try await Self.issues(Self.trait(folder, mode: .replay)) {
      _ = try await Self.get("1")
      _ = try await Self.get("2")
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("path: expected /1, got /2") == true)
  }

  @Test func `a request that is not recorded fails the test even if the test ignores its error`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.issues(Self.trait(folder, mode: .record)) { _ = try await Self.get("1") }
    let issues = try await Self.issues(Self.trait(folder, mode: .replay)) {
      _ = try await Self.get("1")
      for path in ["2", "3"] { _ = try? await Self.get(path) }
    }
    #expect(issues.count == 2)
    #expect(issues.first?.contains("path: expected /1, got /2") == true)
    #expect(issues.last?.contains("path: expected /1, got /3") == true)
    let others = try await Self.issues(Self.trait(folder, mode: .replay)) {
      _ = try await Self.get("1")
      _ = try? await Self.get("2")
      throw LupineError(.other, "Another error.")
    }
    #expect(others.count == 2)
  }

  @Test func `a cassette that no session opened fails the test`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.issues(Self.trait(folder, mode: .record)) { _ = try await Self.get("1") }
    for mode in [CassetteMode.replay, .record] {
      let issues = try await Self.issues(Self.trait(folder, mode: mode)) {}
      #expect(issues.count == 1)
      #expect(issues.first?.contains("No session was built") == true)
    }
    #expect(try Cassette(contentsOf: folder.file("users.cassette")).entries.count == 1)
  }

  @Test func `a session over a mock keeps its mock beside a cassette`() async throws {
    let folder = try TemporaryFolder()
    let issues = try await Self.issues(Self.trait(folder, mode: .record)) {
      let mock = MockTransport()
      mock.stub(.get, "/mocked", .text("mocked"))
      let text3 = try await Self.get("mocked", over: mock)
      #expect(text3 == "mocked")
      let text4 = try await Self.get("1")
      #expect(text4 == "live /1")
    }
    #expect(issues.isEmpty)
    let entries = try Cassette(contentsOf: folder.file("users.cassette")).entries
    #expect(entries.map(\.request.url) == ["https://example.com/1"])
  }

  @Test func `of nested cassettes the inner one counts`() async throws {
    let folder = try TemporaryFolder()
    let test = try #require(Test.current)
    let inner = CassetteTrait.cassette("inner", in: folder.path, mode: .record)
    let issues = try await Self.issues(Self.trait(folder, mode: .record)) {
      // As Swift Testing runs a test of a suite with a trait: the outer scope runs the inner one.
      try await inner.provideScope(for: test, testCase: nil) { _ = try await Self.get("1") }
    }
    #expect(issues.isEmpty)
    // This test has no trait of its own, so the outer scope is the one that is in force.
    #expect(folder.names == ["users.cassette"])
  }

  @Test(arguments: [Duration.seconds(-1), .seconds(86_400)])
  func `an old cassette is recorded again`(age: Duration) async throws {
    let folder = try TemporaryFolder()
    for _ in 1...2 {
      let issues = try await Self.issues(Self.trait(folder, .refresh(after: age), mode: .refresh)) {
        let mock = MockTransport()
        mock.stub(.get, "/{any...}", .text("again"))
        let session = try Session.Builder().transport(Unused(base: mock)).build()
        _ = try await session.request("https://example.com/1").serializingString().value
        let isFirst = !FileManager.default.fileExists(atPath: folder.file("users.cassette"))
        #expect(mock.requests.isEmpty == (!isFirst && age > .zero))
      }
      #expect(issues.isEmpty)
    }
  }

  @Test func `what a cassette lacks is added`() async throws {
    let folder = try TemporaryFolder()
    for paths in [["1"], ["1", "2"]] {
      let issues = try await Self.issues(Self.trait(folder, mode: .recordMissing)) {
        for path in paths { _ = try await Self.get(path) }
      }
      #expect(issues.isEmpty)
    }
    #expect(try Cassette(contentsOf: folder.file("users.cassette")).entries.count == 2)
  }

  @Test(arguments: ["", "a/b", "..", "a..b", "a\0b", ".hidden", "a\\b", "a\nb"])
  func `a name that is no file's fails the test`(name: String) async throws {
    let folder = try TemporaryFolder()
    let issues = try await Self.issues(.cassette(name, in: folder.path, mode: .record)) {
      Issue.record("The test ran.")
    }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("is no name of a cassette") == true)
    #expect(folder.names.isEmpty)
  }

  @Test func `an error of the recording is the test's issue`() async throws {
    let folder = try TemporaryFolder()
    let issues = try await Self.issues(Self.trait(folder, mode: .record)) {
      _ = try await Self.get("ghp_" + String(repeating: "a1B2", count: 9))
    }
    #expect(issues.count == 1)
    #expect(folder.names.isEmpty)
  }

  /// The folder in which the next test records its cases.
  private static let caseFolder = try? TemporaryFolder()

  @Test(arguments: ["plain", "with blanks/and more"]) func `each case has a cassette of its own`(name: String)
    async throws
  {
    let folder = try #require(Self.caseFolder)
    let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
    try await Self.trait(folder, mode: .record).provideScope(for: test, testCase: testCase) {
      _ = try await Self.get("1")
    }
    let expected = name == "plain" ? "users-plain.cassette" : "users-with-blanks-and-more-"
    #expect(folder.names.contains { $0.hasPrefix(expected) })
  }
}

/// The environment variable that chooses between playing and recording.
@Suite struct CassetteModeTests {
  @Test(
    arguments: [
      (nil, .replay), ("", .replay), ("replay", .replay), ("record", .record), ("record-missing", .recordMissing),
      ("refresh", .refresh),
    ] as [(String?, CassetteMode)])
  func `the variable names the mode`(word: String?, mode: CassetteMode) throws {
    #expect(try CassetteMode { $0 == "LUPINE_CASSETTES" ? word : nil } == mode)
  }

  @Test(arguments: ["Record", "yes", "1", "none"]) func `another word is an error`(word: String) {
    let error = #expect(throws: LupineError.self) { try CassetteMode { $0 == "LUPINE_CASSETTES" ? word : nil } }
    #expect(error?.message.contains("replay, record, record-missing, refresh") == true)
  }

  @Test(arguments: ["record", "record-missing", "refresh"]) func `nothing is recorded in CI`(word: String) throws {
    let error = #expect(throws: LupineError.self) { try CassetteMode { $0 == "CI" ? "true" : word } }
    #expect(error?.message.contains("CI is true") == true)
    #expect(try CassetteMode { $0 == "CI" ? "true" : "replay" } == .replay)
  }
}
