import LupineCore
public import Testing

/// Plays recorded exchanges to the sessions that a test builds, or records them.
///
/// By default the test makes no connection: each session that it builds, and `Session.default`, plays the cassette. With the
/// environment variable `LUPINE_CASSETTES=record` the sessions use their own transports, and the exchanges replace the
/// cassette at the end of the test; see `CassetteMode`.
///
/// The cassette `users` is the file `Fixtures/Cassettes/users.cassette`. Its folder `Fixtures` is beside the test's source
/// file or in a folder above it. Each case of a test with arguments has its own cassette, such as
/// `users-42.cassette` for the argument 42.
///
/// The test fails if it asks for an exchange that is not recorded, even if it ignores the error, if a recorded exchange is
/// not asked for, and if no session was built in it. The exchanges of a test that fails are attached to it in the format HAR. A session that was built before
/// the test, as by a `static let`, and one that a detached task builds, are not covered. A session over a virtual transport,
/// such as a mock, keeps it. If both a suite and its test have a cassette, the test's counts.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether a cassette is in force in the current task, so that a trait further out does nothing.
  @TaskLocal private static var isRunning = false

  let path: CassettePath
  let mode: CassetteMode?
  let options: CassetteOptions

  /// Whether the tests of a suite inherit the trait: true.
  public var isRecursive: Bool { true }

  /// Runs a test with its cassette, and records the test's issues.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard !Self.isRunning else { return try await function() }
    let trait = test.traits.lazy.compactMap { $0 as? Self }.last ?? self
    try await withoutActuallyEscaping(function) { function in
      try await Self.$isRunning.withValue(true) { try await trait.run(test, testCase, function) }
    }
  }

  private func run(
    _ test: Test, _ testCase: Test.Case?, _ function: @escaping @Sendable @concurrent () async throws -> Void
  ) async throws {
    let scope: CassetteScope
    do {
      scope = try await CassetteScope(self, for: test, testCase)
    } catch {
      Issue.record(error, sourceLocation: test.sourceLocation)
      return
    }
    let noticed = IssueHandlingTrait.compactMapIssues { issue in
      scope.noteFailure()
      return issue
    }
    do {
      try await noticed.provideScope(for: test, testCase: testCase) {
        try await TransportOverride.wrapping({ scope.transport(in: $0) }) { try await function() }
      }
    } catch {
      scope.noteFailure()
      await scope.end(test, thrown: error)
      throw error
    }
    await scope.end(test)
  }
}

extension Trait where Self == CassetteTrait {
  /// Plays or records the exchanges of the sessions that the test builds.
  ///
  /// `@Test(.cassette("users"))` plays `Fixtures/Cassettes/users.cassette`, and `.cassette("users", .pace(0), .repeating)`
  /// plays it without waiting, and its last exchanges again and again.
  ///
  /// - Parameters:
  ///   - name: the name of the cassette, without its extension.
  ///   - folder: the folder of the cassette; a relative path counts from the folder of the source file. Default:
  ///     `Fixtures/Cassettes` beside the source file or in a folder above it.
  ///   - options: how the cassette is recorded and played.
  ///   - mode: the mode in place of that of the environment. Default: `nil`, that of the environment.
  public static func cassette(
    _ name: String, in folder: String? = nil, _ options: CassetteOption..., mode: CassetteMode? = nil,
    filePath: String = #filePath
  ) -> CassetteTrait {
    CassetteTrait(
      path: CassettePath(name: name, folder: folder, filePath: filePath), mode: mode,
      options: options.reduce(into: CassetteOptions()) { $1.change(&$0) })
  }
}
