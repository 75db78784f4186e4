import LupineCore
import LupineMock
public import Testing

/// Gives each test a mock of its own, `MockTransport.current`, and verifies it when the test is over.
///
/// What `verify()` would throw is noted as issues, each at the line of the stub that it is about; a request without a
/// stub is noted at the test's, with the nearest stubs. A test that throws has them noted, too, unless it was cancelled.
/// What became of the requests stands beside the first issue.
///
/// ```swift
/// @Test(.mock) func `a user is decoded`() async throws {
///   let mock = try #require(MockTransport.current)
///   mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
///   …
/// }
/// ```
public struct MockTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether the mock is verified at the test's end.
  public let verifies: Bool

  /// A suite's tests have the trait, too.
  public var isRecursive: Bool { true }

  /// Runs a test with a mock, and notes what `verify()` would throw as the test's issues.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let mock = MockTransport()
    do {
      try await MockTransport.$current.withValue(mock) { try await function() }
    } catch {
      if !Task.isCancelled { note(verifies ? mock.complaints : [], mock.history, test, thrown: error) }
      throw error
    }
    if verifies { note(mock.complaints, mock.history, test, thrown: nil) }
  }

  /// Notes each complaint, and the history once.
  ///
  /// What an error tells at length that the test throws is not told a second time.
  private func note(_ complaints: [MockTransport.Complaint], _ history: String, _ test: Test, thrown: (any Error)?) {
    let told = (thrown as? LupineError)?.message
    var comment = history.isEmpty ? nil : Comment(rawValue: history)
    for complaint in complaints {
      Issue.record(
        LupineError(complaint.kind, complaint.text(unless: told)), comment,
        sourceLocation: complaint.location.map(SourceLocation.init) ?? test.sourceLocation)
      comment = nil
    }
    // The error alone does not say what the requests before it led to.
    if thrown != nil, let comment { Issue.record(comment, sourceLocation: test.sourceLocation) }
  }
}

extension Trait where Self == MockTrait {
  /// A mock of the test's own that is verified at its end.
  public static var mock: MockTrait { MockTrait(verifies: true) }

  /// A mock of the test's own.
  ///
  /// - Parameter verifies: whether it is verified at the test's end.
  public static func mock(verifies: Bool) -> MockTrait { MockTrait(verifies: verifies) }
}

extension MockTransport.Complaint {
  /// What is complained of, at length unless a message that is shown anyway begins with that.
  fileprivate func text(unless told: String?) -> String {
    guard let detail else { return text }
    guard let told, told.hasPrefix(detail) else { return detail }
    return "No stub of the mock fits \(text); the error that the test throws tells of the nearest ones."
  }
}

extension SourceLocation {
  fileprivate init(_ stub: StubLocation) {
    self.init(fileID: stub.fileID, filePath: stub.filePath, line: Int(stub.line), column: Int(stub.column))
  }
}
