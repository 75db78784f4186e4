import Lupine
import Synchronization

/// What a trait of Swift Testing does in `provideScope`: records the exchanges of every session that a test builds.
struct RecordingScope {
  let recording = Recording()

  func provideScope(performing function: @Sendable () async throws -> Void) async throws {
    let recording = recording
    try await TransportOverride.wrapping({ RecordingTransport(base: $0, recording: recording) }) {
      try await function()
    }
  }
}

final class Recording: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

struct RecordingTransport: Transport {
  let base: any Transport
  let recording: Recording

  var capabilities: TransportCapabilities { base.capabilities }
  var isVirtual: Bool { base.isVirtual }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let response = try await base.send(request, in: context)
    recording.add("\(request.summary) \(response.head.status.code)")
    return response
  }

  func shutdown() async { await base.shutdown() }

  func issues(with key: ConnectionKey) -> [ConfigurationIssue] { base.issues(with: key) }

  func makeMonitor() -> (any EventMonitor)? { base.makeMonitor() }
}
