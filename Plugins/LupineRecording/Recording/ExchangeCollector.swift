import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Collects one exchange while it runs.
///
/// The events come on the transport's threads.
final class ExchangeCollector: Sendable {
  /// The place of the exchange in the order of first sending.
  let number: Int
  /// The fields that the session marks as secret.
  let secretFields: SecretFields

  private struct State {
    var interim: [Cassette.Interim] = []
    var server = Cassette.Origin()
    var response: Cassette.Response?
    /// The time of the body's first byte, before which the head has arrived.
    var firstByte: Duration?
    /// Whether the whole request was sent.
    var isSent = false
    var isConnectionReused = false
    var hasEnded = false
  }

  private let request: OutgoingRequest
  private let upload: RequestCollector
  private let begin: Duration
  private let clock: SessionClock
  private let recording: Recording
  private let arrivals = ArrivalLog()
  private let received = Atomic<Int64>(0)
  private let state = Mutex(State())

  /// - Parameter begin: the time since the beginning of the recording.
  init(
    _ request: OutgoingRequest, in context: TransferContext, number: Int, begin: Duration, of recording: Recording
  ) {
    self.request = request
    self.number = number
    self.begin = begin
    self.recording = recording
    secretFields = context.secretFields
    clock = SessionClock(context.clock)
    upload = RequestCollector(request.body, limit: recording.options.uploadLimit, on: recording.work)
  }

  /// The request for the transport.
  var observedRequest: OutgoingRequest {
    guard request.hasBody else { return request }
    var observed = request
    observed.body = upload.observed(request.body)
    return observed
  }

  /// The context for the transport.
  func observed(_ context: TransferContext) -> TransferContext {
    context.observing { [self] in receive($0) }
      .observingArrivals { [self] count in
        let time = clock.now()
        if received.add(Int64(count), ordering: .relaxed).oldValue == 0 { state.withLock { $0.firstByte = time } }
        arrivals.add(count, after: time)
      }
      .observingTrust { [self] trust in
        state.withLock { state in
          state.server.certificates = trust.presentedChain
          state.server.verifiedCertificates = trust.verifiedChain ?? []
        }
      }
  }

  private func receive(_ event: SessionEvent.Kind) {
    switch event {
    case .informational(let head):
      let interim = Cassette.Interim(head: head, after: clock.now())
      state.withLock { $0.interim.append(interim) }
    case .sent: state.withLock { $0.isSent = true }
    case .connected(let address, let isReused):
      state.withLock { state in
        state.server.address = address
        state.isConnectionReused = isReused
      }
    case .secured(let details):
      let tls = Cassette.TLS(
        version: details.version, cipher: details.cipher, applicationProtocol: details.applicationProtocol)
      state.withLock { state in
        state.server.certificates = details.peerCertificates
        state.server.tls = tls
      }
    default: break
    }
  }

  /// Takes the head, and observes the body.
  ///
  /// - Parameter store: receives a body that is not kept in memory.
  func receive(_ response: TransportResponse, in context: TransferContext, _ store: BodyStore) {
    let now = clock.now()
    state.withLock { state in
      let time = min(now, state.firstByte ?? now)
      state.response = Cassette.Response(head: response.head, source: response.source, after: time)
    }
    do throws(LupineError) {
      if context.hasSink { throw Self.isUnobservable }
      let decoding = try recording.options.decoding(of: response.head, in: context)
      let recorder = BodyRecorder(decoding, to: store, arrivals: arrivals) { [self] recorded, end in
        finish(end, recorded, unknownCoding: decoding.unknown)
      }
      response.body.tee(into: recorder)
    } catch {
      recording.fail(error)
      leave()
    }
  }

  private static let isUnobservable = LupineError(
    .recordingFailed,
    "The context of the exchange names the destination of the body, which cannot be observed then; record a session.")

  /// Takes the error of an exchange without a response.
  func receive(_ error: LupineError) {
    guard !error.isBeforeSending else { return leave() }
    finish(.failure(error), nil, unknownCoding: nil)
  }

  /// Records the exchange as stalled, although its body has not ended.
  func cut() { finish(.failure(LupineError(.cancelled, "The recording has ended.")), nil, unknownCoding: nil) }

  private func finish(
    _ end: Result<BodyEnd, LupineError>, _ recorded: Result<RecordedBody, LupineError>?, unknownCoding: String?
  ) {
    let duration = clock.now()
    guard let collected = close() else { return }
    var entry = Cassette.Entry(
      request: Cassette.Request(method: request.method, url: request.url.string, fields: request.headers),
      begin: begin, interim: collected.interim, response: collected.response, duration: duration,
      isConnectionReused: collected.isConnectionReused)
    let sent: Int64
    switch end {
    case .success(let end):
      entry.end = .complete(trailers: end.trailers)
      entry.response?.version = end.metrics.version
      sent = end.metrics.bytesSent
    case .failure(let error):
      entry.end = ending(with: error, hasHead: collected.response != nil)
      entry.response?.version = error.metrics?.version
      sent = error.metrics?.bytesSent ?? 0
    }
    entry.request.isCut = request.hasBody && !collected.isSent && collected.server.address != nil
    recording.work.add { [self, entry] in
      let origin = request.url.origin.description
      recording.add(self, ServerSighting(origin: origin, server: collected.server)) { () throws(LupineError) in
        var raw = RawEntry(entry: entry, unknownCoding: unknownCoding)
        raw.entry.request.body = entry.request.isCut ? upload.content(upTo: sent) : upload.content()
        if let recorded { try raw.add(recorded.get()) }
        return raw
      }
    }
  }

  private func ending(with error: LupineError, hasHead: Bool) -> Cassette.End {
    guard error.isOfServer else { return .stalled }
    return .failed(Cassette.Failure(error, bytes: hasHead ? received.load(ordering: .relaxed) : nil))
  }

  private func leave() {
    _ = close()
    recording.leave(self)
  }

  /// Ends the collecting, once.
  private func close() -> State? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.hasEnded = true
      return state
    }
  }
}

/// The server of one exchange.
struct ServerSighting: Sendable {
  let origin: String
  let server: Cassette.Origin
}

/// An exchange whose secrets have not been replaced.
struct RawEntry: Sendable {
  var entry: Cassette.Entry
  /// A content coding that the session cannot decode, so that secrets in the body cannot be found.
  let unknownCoding: String?
  /// The body of the response, if it is in a file.
  var file: PendingFile?

  mutating func add(_ recorded: RecordedBody) {
    entry.response?.codings = recorded.codings
    entry.response?.chunks = recorded.chunks
    switch recorded.body {
    case .none: break
    case .data(let data): entry.response?.body = .inline(data)
    case .file(let file): self.file = file
    }
  }
}

extension LupineError {
  /// Whether the request was refused before a transport began, so that there is no exchange.
  fileprivate var isBeforeSending: Bool {
    switch kind {
    case .invalidURL, .invalidRequest, .configuration, .limitExceeded(.requestFields): true
    default: false
    }
  }

  /// Whether the server or the network caused the error, and not the client.
  fileprivate var isOfServer: Bool {
    switch kind {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .connectionLost, .tlsFailed,
      .certificateRejected, .proxyFailed, .addressRefused, .malformedResponse, .serverNotAuthenticated:
      true
    case .timedOut(let bound): bound == .connect
    case .limitExceeded(let name):
      [.responseFields, .responseFieldCount, .informationalResponses, .trailers, .chunkExtensions].contains(name)
    default: false
    }
  }
}
