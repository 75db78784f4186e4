import HTTPTypes
import Lupine
import LupineCurl
import LupineFixtures
import LupineMock
import LupineRecording
import LupineSupport
import Synchronization
import Testing
import TransportSupport

/// A scenario that is recorded over a transport, and then played.
struct Take: Sendable {
  /// The outcome of a run.
  struct Run: Sendable {
    /// The results that the scenario returned.
    var results: [String]
    /// The events, without addresses and times.
    var events: [String]
  }

  let folder: TemporaryFolder
  let path: String
  var recordingOptions = RecordingOptions()
  var replayOptions = ReplayOptions()
  /// The clock of the recorded run; `nil` means the system's.
  var recordingClock: TestClock?
  /// Configures the sessions of both runs.
  var configure: @Sendable (Session.Builder) -> Session.Builder = { $0 }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("users.cassette")
  }

  /// Records the scenario over the transport that the test runs over.
  func record(
    over transport: (any Transport)? = nil, _ scenario: @Sendable (Session) async throws -> [String]
  ) async throws -> Run {
    let base = transport ?? Client.trusting().transport
    let recorder = RecordingTransport(around: base, to: path, options: recordingOptions)
    let run = try await run(over: recorder, clock: recordingClock, scenario)
    try await recorder.recording.finish()
    await base.shutdown()
    return run
  }

  /// Plays the scenario on a clock on which a sleep takes no time.
  func play(_ scenario: @Sendable (Session) async throws -> [String]) async throws -> Run {
    let replay = try await ReplayTransport(contentsOf: path, options: replayOptions)
    let run = try await run(over: replay, clock: ImmediateClock(), scenario)
    await replay.shutdown()
    return run
  }

  /// Records and plays the scenario, and requires the same results and events of both runs; returns the cassette.
  ///
  /// - Parameter redacted: returns a recorded result or event as it is played, with placeholders and the lengths of bodies
  ///   that have them.
  func check(
    redacted: @Sendable (String) -> String = { $0 }, _ scenario: @Sendable (Session) async throws -> [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Cassette {
    let recorded = try await record(scenario)
    let played = try await play(scenario)
    #expect(played.results == recorded.results.map(redacted), sourceLocation: sourceLocation)
    #expect(played.events == recorded.events.map(redacted), sourceLocation: sourceLocation)
    return try cassette
  }

  private func run(
    over transport: any Transport, clock: (any Clock<Duration>)?,
    _ scenario: @Sendable (Session) async throws -> [String]
  ) async throws -> Run {
    let notes = EventNotes()
    var builder = configure(Session.Builder().transport(transport).monitor(.custom { notes.add($0.kind) }))
    if let clock { builder = builder.clock(clock) }
    let results = try await scenario(try builder.build())
    return Run(results: results, events: await notes.all)
  }

  /// The cassette that was recorded.
  var cassette: Cassette { get throws { try Cassette(contentsOf: path) } }
}

/// Keeps the events of a session as text, without addresses and times.
final class EventNotes: Sendable {
  private struct State {
    var notes: [String] = []
    /// The number of requests that have started and not finished.
    var underWay = 0
  }

  private let state = Mutex(State())
  /// Set while no request is under way.
  private let idle = Signal(isSet: true)

  /// The events; waits for the last one of each request, which may come after its result.
  var all: [String] {
    get async {
      await idle.wait()
      return state.withLock { $0.notes }
    }
  }

  func add(_ event: SessionEvent.Kind) {
    guard let note = Self.note(event) else { return }
    state.withLock { state in
      state.notes.append(note)
      switch event {
      case .started: state.underWay += 1
      case .finished: state.underWay -= 1
      default: return
      }
      if state.underWay == 0 { idle.set() } else { idle.clear() }
    }
  }

  private static func note(_ event: SessionEvent.Kind) -> String? {
    switch event {
    case .nameResolved, .queued: nil
    case .connected(_, let isReused): "connected \(isReused ? "again" : "")"
    case .secured(let tls):
      "secured \(tls.version) \(tls.cipher) \(tls.applicationProtocol ?? "") \(tls.peerCertificates.map(\.count))"
    case .head(let head): "head \(head.status) \(fields(head.headerFields))"
    case .informational(let head): "interim \(head.status) \(fields(head.headerFields))"
    case .trailers(let fields): "trailers \(self.fields(fields))"
    case .received(let bytes, let metrics): "received \(bytes) over \(metrics.version?.rawValue ?? "?")"
    case .failed(let error): "failed \(error.kind) \(error.isUnprocessed)"
    case .finished(let error): "finished \(error.map { "\($0.kind)" } ?? "")"
    case .serialized(let type, _, let error): "serialized \(type) \(error.map { "\($0.kind)" } ?? "")"
    case .retrying(_, let reason): "retrying \(reason)"
    default: "\(event)"
    }
  }

  private static func fields(_ fields: HTTPFields) -> String {
    fields.filter { $0.name != .date }.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
  }
}
