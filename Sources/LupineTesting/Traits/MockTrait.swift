import LupineCore
import LupineMock
public import Testing

/// Gives each test a mock of its own, `MockTransport.current`, and verifies it when the test is over.
///
/// What `verify()` would throw is noted as issues, each at the line of the stub that it is about; a request without a
/// stub is noted at the test's.
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
    try await MockTransport.$current.withValue(mock) { try await function() }
    guard verifies else { return }
    let history = mock.history
    for complaint in mock.complaints {
      let comment: Comment? = history.isEmpty ? nil : Comment(rawValue: history)
      Issue.record(
        LupineError(complaint.kind, complaint.text), comment,
        sourceLocation: complaint.location.map(SourceLocation.init) ?? test.sourceLocation)
    }
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

extension SourceLocation {
  fileprivate init(_ stub: StubLocation) {
    self.init(fileID: stub.fileID, filePath: stub.filePath, line: Int(stub.line), column: Int(stub.column))
  }
}
