import LupineCore
import LupineMock
public import Testing

/// Gives each test its own mock, `MockTransport.current`, and verifies the mock at the end of the test.
///
/// Each error of `verify()` is recorded as an issue at the line of its stub. A request without a stub is recorded at
/// the test's line, with the nearest stubs. The errors are also recorded if the test throws, unless the test was
/// cancelled. The first issue contains the history of the requests.
///
/// ```swift
/// @Test(.mock) func `a user is decoded`() async throws {
///   let mock = try #require(MockTransport.current)
///   mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
///   let session = try Session.Builder().transport(mock).build()
///   let user = try await session.request("https://api.example.com/v1/users/42").serializingDecodable(User.self).value
///   #expect(user.name == "mattt")
/// }
/// ```
public struct MockTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether the mock is verified at the end of the test.
  public let verifies: Bool

  /// Whether the tests of a suite inherit the trait: true.
  public var isRecursive: Bool { true }

  /// Runs a test with a mock, and records the errors of `verify()` as the test's issues.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let mock = MockTransport()
    do {
      try await MockTransport.$current.withValue(mock) { try await function() }
    } catch {
      if !Task.isCancelled { record(verifies ? mock.verificationIssues : [], mock.history, test, thrown: error) }
      throw error
    }
    if verifies { record(mock.verificationIssues, mock.history, test, thrown: nil) }
  }

  /// Records each verification issue, and the history once.
  ///
  /// An issue is shortened if the thrown error already contains its details.
  private func record(
    _ verificationIssues: [MockTransport.VerificationIssue], _ history: String, _ test: Test, thrown: (any Error)?
  ) {
    let thrownMessage = (thrown as? LupineError)?.message
    var comment = history.isEmpty ? nil : Comment(rawValue: history)
    for issue in verificationIssues {
      Issue.record(
        LupineError(issue.kind, issue.text(unless: thrownMessage)), comment,
        sourceLocation: issue.location.map(SourceLocation.init) ?? test.sourceLocation)
      comment = nil
    }
    // The error alone does not show the requests that preceded it.
    if thrown != nil, let comment { Issue.record(comment, sourceLocation: test.sourceLocation) }
  }
}

extension Trait where Self == MockTrait {
  /// A mock for each test, verified at the end of the test.
  public static var mock: MockTrait { MockTrait(verifies: true) }

  /// A mock for each test.
  ///
  /// - Parameter verifies: whether the mock is verified at the end of the test.
  public static func mock(verifies: Bool) -> MockTrait { MockTrait(verifies: verifies) }
}

extension MockTransport.VerificationIssue {
  /// Returns the details of the issue, unless the given message begins with them.
  fileprivate func text(unless thrownMessage: String?) -> String {
    guard let detail else { return text }
    guard let thrownMessage, thrownMessage.hasPrefix(detail) else { return detail }
    return "No stub of the mock matches \(text); the error that the test throws describes the nearest ones."
  }
}

extension SourceLocation {
  fileprivate init(_ stub: StubLocation) {
    self.init(fileID: stub.fileID, filePath: stub.filePath, line: Int(stub.line), column: Int(stub.column))
  }
}
