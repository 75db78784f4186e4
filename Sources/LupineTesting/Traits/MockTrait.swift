import LupineMock
public import Testing

/// Gives each test a mock of its own, `MockTransport.current`, and verifies it when the test is over.
public struct MockTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether the mock is verified at the test's end.
  public let verifies: Bool

  /// A suite's tests have the trait, too.
  public var isRecursive: Bool { true }

  /// Runs a test with a mock, and notes what `verify()` throws as the test's issue.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let mock = MockTransport()
    try await MockTransport.$current.withValue(mock) { try await function() }
    guard verifies else { return }
    do { try mock.verify() } catch { Issue.record(error, sourceLocation: test.sourceLocation) }
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
