public import LupineCore
import LupineFoundation
import LupineRecording
import Synchronization
import Testing

/// The cassette of a running test.
final class CassetteScope: Sendable {
  private enum Source {
    case replay(ReplayTransport)
    case recording(Recording)
  }

  private struct State {
    var isUsed = false
    var hasFailed = false
  }

  /// Attaches bytes with this name to the test at this place.
  @TaskLocal static var attach: @Sendable ([UInt8], String, SourceLocation) -> Void = {
    Attachment.record($0, named: $1, sourceLocation: $2)
  }

  private let path: String
  private let source: Source
  private let state = Mutex(State())

  /// Opens the cassette.
  ///
  /// - Throws: the error because of which the test cannot run.
  init(_ trait: CassetteTrait, for test: Test, _ testCase: Test.Case?) async throws(LupineError) {
    path = try trait.path.path(of: testCase)
    let mode: CassetteMode
    if let given = trait.mode { mode = given } else { mode = try CassetteMode() }
    var options = trait.options
    options.replay.filter = test.name
    let path = path
    if await Self.plays(mode, path, options) {
      source = .replay(try await Self.replay(path, options, test))
    } else {
      options.recording.addsMissing = mode == .recordMissing
      options.recording.replay = options.replay
      try await BlockingWork.run { () throws(LupineError) in try Self.makeFolder(of: path) }
      source = .recording(Recording(to: path, options: options.recording))
    }
  }

  private static func plays(_ mode: CassetteMode, _ path: String, _ options: CassetteOptions) async -> Bool {
    switch mode {
    case .replay: return true
    case .record, .recordMissing: return false
    case .refresh:
      guard let contents = await BlockingWork.run({ try? CassetteFile.read(path) }) else { return false }
      guard let lifetime = options.lifetime else { return true }
      return Date().timeIntervalSince(contents.header.date) < lifetime / .seconds(1)
    }
  }

  private static func replay(
    _ path: String, _ options: CassetteOptions, _ test: Test
  ) async throws(LupineError) -> ReplayTransport {
    do throws(LupineError) {
      return try await ReplayTransport(contentsOf: path, options: options.replay)
    } catch {
      guard error.file?.kind == .notFound else { throw error }
      throw LupineError(
        .fileFailed,
        "There is no cassette \(path). To record it, run:\n"
          + "    LUPINE_CASSETTES=record swift test --filter '\(test.name)'", underlying: error)
    }
  }

  private static func makeFolder(of path: String) throws(LupineError) {
    let folder = URL(filePath: path).deletingLastPathComponent()
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw LupineError(.fileFailed, "The folder \(folder.path) cannot be created: \(error).", underlying: error)
    }
  }

  /// Returns the transport in the place of a session's own.
  func transport(in transport: any Transport) -> any Transport {
    if transport.isVirtual { return transport }
    state.withLock { $0.isUsed = true }
    switch source {
    case .replay(let replay): return replay
    case .recording(let recording): return RecordingTransport(around: transport, in: recording)
    }
  }

  /// Notes that the test has an issue.
  func noteFailure() { state.withLock { $0.hasFailed = true } }

  /// Ends the cassette, and records the test's issues.
  ///
  /// - Parameter thrown: the error that the test has thrown.
  func end(_ test: Test, thrown: (any Error)? = nil) async {
    let isUsed = state.withLock { $0.isUsed }
    if !isUsed, thrown == nil {
      record(
        .unusedCassette,
        "No session was built in the test, so its cassette \(path) has no effect: a session that was built before the "
          + "test, or in a detached task, uses its own transport.", test)
    }
    switch source {
    case .replay(let replay):
      await replay.shutdown()
      recordUnmatched(replay, test, thrown: thrown)
      if isUsed, thrown == nil { recordUnused(replay, test) }
      await attach(replay.usedExchanges, test)
    case .recording(let recording):
      await finish(recording, test)
      guard state.withLock({ $0.hasFailed }) else { return }
      if let contents = await BlockingWork.run({ [path] in try? CassetteFile.read(path) }) {
        await attach(contents.cassette, test)
      }
    }
  }

  /// Attaches the exchanges of a test that has failed, which browsers and other tools show.
  private func attach(_ cassette: Cassette, _ test: Test) async {
    guard state.withLock({ $0.hasFailed }), !cassette.entries.isEmpty else { return }
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let archive = await BlockingWork.run { [path] in
      // Without the bodies in files if one of these was changed.
      (try? cassette.har(withFilesBeside: path)) ?? cassette.har()
    }
    Self.attach([UInt8](archive), "\(name).har", test.sourceLocation)
  }

  /// Records an issue for each request that the cassette lacks, even if the test ignores the error.
  ///
  /// The error that the test throws is reported already.
  private func recordUnmatched(_ replay: ReplayTransport, _ test: Test, thrown: (any Error)?) {
    let reported = (thrown as? LupineError)?.message ?? ""
    for error in replay.unmatchedErrors where !reported.hasPrefix(error.message) {
      noteFailure()
      Issue.record(error, sourceLocation: test.sourceLocation)
    }
  }

  private func recordUnused(_ replay: ReplayTransport, _ test: Test) {
    let lines = replay.unusedLines
    guard !lines.isEmpty else { return }
    record(
      .unusedCassette,
      "The test did not ask for these exchanges of its cassette:\n"
        + lines.map { "  \($0)" }.joined(separator: "\n"), test)
  }

  private func finish(_ recording: Recording, _ test: Test) async {
    do throws(LupineError) {
      try await recording.finish()
    } catch {
      Issue.record(error, "The cassette \(path) is as it was.", sourceLocation: test.sourceLocation)
    }
  }

  private func record(_ kind: LupineError.Kind, _ message: String, _ test: Test) {
    noteFailure()
    Issue.record(LupineError(kind, message), sourceLocation: test.sourceLocation)
  }
}

extension LupineError.Kind {
  /// A cassette of a test, or an exchange in it, was not used.
  public static let unusedCassette = LupineError.Kind.plugin("unusedCassette")
}
