import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFraming
import LupineNative
import LupineRecording
import LupineTesting
import Synchronization

/// Records a check of the conformance kit over a transport, and then runs it on a replay.
final class KitReplay: Sendable {
  private struct State {
    var takes: [KitTake] = []
    /// The URLs of the peers of the recording, in their order.
    var urls: [String] = []
    /// The number of peers of the replay.
    var peers = 0
  }

  private let folder: TemporaryFolder
  private let make: @Sendable () -> any Transport
  private let state = Mutex(State())

  init(recordingOver make: @escaping @Sendable () -> any Transport) throws {
    folder = try TemporaryFolder()
    self.make = make
  }

  /// The number of recorded exchanges.
  var count: Int { state.withLock { $0.takes.last }?.count ?? 0 }

  /// The transport, around which a recorder is.
  var recording: ConformanceSubject {
    ConformanceSubject("The transport") { [self] transport, script in
      let peer = try ConformanceSubject.peer(for: transport, playing: script)
      state.withLock { $0.urls.append(peer.url) }
      return peer
    } transport: { [self] in
      state.withLock { state in
        state.takes.append(KitTake(around: make(), to: folder.file("\(state.takes.count).cassette")))
        return state.takes[state.takes.count - 1]
      }
    }
  }

  /// The replay of what was recorded before.
  var replay: ConformanceSubject {
    ConformanceSubject("The transport") { [self] transport, script in
      let url = state.withLock { state in
        state.peers += 1
        return state.urls.indices.contains(state.peers - 1) ? state.urls[state.peers - 1] : "http://127.0.0.1:1"
      }
      return ReplayPeer(url, script, transport as? LateReplay)
    } transport: { [self] in
      LateReplay(of: state.withLock { $0.takes.last }, capabilities: make().capabilities, in: folder.path)
    }
  }
}

/// Completes a recording before its first exchange, and plays it.
private final class LateReplay: Transport {
  let capabilities: TransportCapabilities
  private let take: KitTake?
  private let folder: String
  private let replay = Mutex<ReplayTransport?>(nil)
  private let isShutDown = Mutex(false)
  /// Reads the cassette, once.
  private let reading = Mutex<Task<Result<Cassette, LupineError>, Never>?>(nil)

  init(of take: KitTake?, capabilities: TransportCapabilities, in folder: String) {
    self.take = take
    self.capabilities = capabilities
    self.folder = folder
  }

  var isVirtual: Bool { true }

  /// The exchanges that were asked for.
  var entries: [Cassette.Entry] { replay.withLock { $0 }?.usedExchanges.entries ?? [] }

  func data(of content: Cassette.Content) -> [UInt8] {
    switch content {
    case .none, .digest: []
    case .inline(let data): Array(data)
    case .file(let file): (try? Array(Data(contentsOf: URL(filePath: "\(folder)/\(file.name)")))) ?? []
    }
  }

  private static func read(_ take: KitTake) async -> Result<Cassette, LupineError> {
    do throws(LupineError) { return .success(try await take.finish()) } catch { return .failure(error) }
  }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    guard let take else { throw LupineError(.other, "There is no recording.") }
    let reading = reading.withLock { reading in
      let task = reading ?? Task { await Self.read(take) }
      reading = task
      return task
    }
    let cassette = try await reading.value.get()
    let replay = replay.withLock { replay in
      if let replay { return replay }
      var options = ReplayOptions()
      options.matching = CassetteMatching([.method, .url, .query])
      // A check may send a request until something has happened.
      options.isRepeating = true
      let new = ReplayTransport(cassette, folder: folder, options: options)
      replay = new
      return new
    }
    if isShutDown.withLock({ $0 }) { await replay.shutdown() }
    return try await replay.send(request, in: context)
  }

  func shutdown() async {
    isShutDown.withLock { $0 = true }
    await replay.withLock { $0 }?.shutdown()
  }
}

/// A peer that is not there: a replay answers with the recorded URL of the peer.
private final class ReplayPeer: ConformancePeer {
  let url: String
  private let script: PeerScript
  private let transport: LateReplay?
  private let sent = Mutex(0)

  init(_ url: String, _ script: PeerScript, _ transport: LateReplay?) {
    self.url = url
    self.script = script
    self.transport = transport
  }

  /// The recorded requests that were asked for.
  var requests: [PeerRequest] {
    guard script.fault == nil, let transport else { return [] }
    return transport.entries.filter { $0.request.url.hasPrefix(url + "/") }.enumerated().map { number, entry in
      PeerRequest(
        method: entry.request.method.rawValue, target: String(entry.request.url.dropFirst(url.count)),
        fields: RawFields(entry.request.fields), body: transport.data(of: entry.request.body),
        isBodyComplete: !entry.request.isCut, number: number)
    }
  }

  /// The connections that the exchanges which were asked for had made when they were recorded.
  var connectionCount: Int? { transport?.entries.count { !$0.isConnectionReused } }

  /// Opens the gates that the peer opens when it answers, because the check waits for them.
  func prepare(for request: OutgoingRequest) {
    guard script.fault == nil else { return }
    let number = sent.withLock { sent in
      sent += 1
      return sent - 1
    }
    let seen = PeerRequest(
      method: request.method.rawValue, target: request.url.requestTarget, fields: RawFields(request.headers), body: [],
      number: number)
    switch script.reply(seen) {
    case .response(let response):
      for case .signal(let gate) in response.before + response.body { gate.open() }
    case .wire(let reply):
      for case .signal(let gate) in reply.steps { gate.open() }
    case .end: return
    }
  }

  func waitForOpenConnections(_ count: Int) async throws {}

  func stop() {}
}
