public import LupineCore
import LupineCurl
import LupineNative
public import Testing

/// Runs each test over libcurl, and then over the native transport.
///
/// The second run replaces the transport of each session over libcurl that the test builds. It takes place if the native
/// transport has what the test needs; a test's own trait adds needs to those of its suite.
public struct OverEachTransport: TestTrait, SuiteTrait, TestScoping {
  /// Whether the trait of the suite runs the test already.
  @TaskLocal private static var isRunning = false

  let needs: TransportCapabilities

  /// True: a suite's trait applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs the test once for each transport; the issues of the second run name the transport.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard !Self.isRunning else { return try await function() }
    let needs = test.traits.reduce(into: needs) { $0.formUnion(($1 as? Self)?.needs ?? []) }
    try await Self.$isRunning.withValue(true) { try await runOverEach(needs, test, testCase, function) }
  }

  private func runOverEach(
    _ needs: TransportCapabilities, _ test: Test, _ testCase: Test.Case?,
    _ function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await function()
    guard NativeTransport().capabilities.isSuperset(of: needs) else { return }
    let named = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments.append("over the native transport")
      return issue
    }
    try await withoutActuallyEscaping(function) { function in
      try await named.provideScope(for: test, testCase: testCase) {
        try await TransportOverride.wrapping(Self.native(in:)) { try await function() }
      }
    }
  }

  /// Returns a native transport with the same limits in the place of one over libcurl.
  ///
  /// It has one loop on any machine, so that exchanges with several servers are on one thread, as over libcurl.
  static func native(in transport: any Transport) -> any Transport {
    guard let curl = transport as? CurlTransport else { return transport }
    var configuration = NativeTransport.Configuration(curl.configuration.network)
    configuration.loops = 1
    return NativeTransport(configuration)
  }
}

extension Trait where Self == OverEachTransport {
  /// Runs the tests over each transport.
  public static var overEachTransport: Self { overEachTransport(needs: []) }

  /// Runs the tests over each transport that has these capabilities.
  public static func overEachTransport(needs: TransportCapabilities) -> Self { OverEachTransport(needs: needs) }
}
