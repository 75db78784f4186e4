import Lupine
import Synchronization
import Testing

/// Records the exchanges of every session that a test builds, in `Recording.current`.
struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let recording = Recording()
    try await Recording.$current.withValue(recording) {
      try await TransportOverride.wrapping({ RecordingTransport(base: $0, recording: recording) }) {
        try await function()
      }
    }
  }
}

extension Trait where Self == RecordingTrait {
  /// Records the exchanges of every session that a test builds.
  static var recorded: RecordingTrait { RecordingTrait() }
}

/// The recorded exchanges of one test.
final class Recording: Sendable {
  /// The recording of the running test; `nil` in a test without the trait.
  @TaskLocal static var current: Recording?

  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Forwards each exchange to `base`, and records the response.
struct RecordingTransport: WrappingTransport {
  let base: any Transport
  let recording: Recording

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let response = try await base.send(request, in: context)
    recording.add("\(request.summary) \(response.head.status.code)")
    return response
  }
}
