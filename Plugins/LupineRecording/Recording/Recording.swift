public import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Records exchanges into a cassette, until `finish(waiting:)`.
///
/// Several sessions can record into it: each has its own `RecordingTransport`. An exchange is written to a journal beside
/// the cassette (`users.cassette.part`) as soon as it has ended, and `finish(waiting:)` replaces the cassette. If the
/// process is killed before, the journal has all exchanges but those under way, and the next reader or recording of the
/// cassette takes them in.
///
/// An error, such as a full disk or a secret that cannot be replaced, ends the recording; the exchanges go on. `finish(waiting:)` throws it, and the cassette stays as it was.
public final class Recording: Sendable {
  /// The path of the cassette.
  public let path: String
  let options: RecordingOptions
  /// Writes the journal, and finally the cassette.
  let work = SerialWork()
  private let state = Mutex(State())

  private enum Phase {
    case unopened
    case open(OpenRecording)
    case finished
  }

  private struct State {
    var phase = Phase.unopened
    var failure: LupineError?
    /// The session's date when the first exchange began.
    var date: Date?
    var capabilities: TransportCapabilities = []
    /// The number of exchanges that have begun.
    var count = 0
    /// The number of exchanges that have not ended.
    var underWay = 0
    var collectors: [Int: ExchangeCollector] = [:]
    /// The files; `nil` before the first exchange and after the end.
    var store: RecordingStore?
    var player: CassettePlayer?
  }

  /// Set while no exchange is under way.
  private let idle = Signal(isSet: true)

  /// Prepares a recording; its files are opened when the first exchange begins.
  ///
  /// - Parameter path: the path of the cassette, whose folder exists.
  public init(to path: String, options: RecordingOptions = RecordingOptions()) {
    self.path = path
    self.options = options
  }

  /// Opens the files, unless they are open; returns `nil` if the recording is over.
  func opened() async -> OpenRecording? {
    switch state.withLock({ $0.phase }) {
    case .open(let open): return open
    case .finished: return nil
    case .unopened: break
    }
    return await work.result { [self] in
      if case .unopened = state.withLock({ $0.phase }) { open() }
      return state.withLock { if case .open(let open) = $0.phase { open } else { nil } }
    }
  }

  private func open() {
    attempt { () throws(LupineError) in
      let store = try RecordingStore(path, options)
      let player = options.addsMissing ? store.old.map { CassettePlayer($0, at: path, options.replay) } : nil
      state.withLock { state in
        state.store = store
        state.player = player
        if case .unopened = state.phase { state.phase = .open(OpenRecording(bodies: store.bodies, player: player)) }
      }
    }
  }

  /// Begins the recording of an exchange; returns `nil` if the recording is over.
  func begin(
    _ request: OutgoingRequest, in context: TransferContext, over base: any Transport
  ) -> ExchangeCollector? {
    let (now, capabilities) = (context.now(), base.capabilities)
    let begun = state.withLock { state -> (number: Int, time: Duration)? in
      guard case .open = state.phase, state.failure == nil else { return nil }
      let date = state.date ?? now
      state.date = date
      state.capabilities.formUnion(capabilities)
      state.count += 1
      state.underWay += 1
      idle.clear()
      return (state.count, .seconds(max(0, now.timeIntervalSince(date))))
    }
    guard let begun else { return nil }
    let collector = ExchangeCollector(request, in: context, number: begun.number, begin: begun.time, of: self)
    state.withLock { $0.collectors[begun.number] = collector }
    return collector
  }

  /// Writes an exchange that has ended; called by `work`.
  func add(
    _ collector: ExchangeCollector, _ sighting: ServerSighting, _ entry: () throws(LupineError) -> RawEntry
  ) {
    attempt { () throws(LupineError) in
      try state.withLock { $0.store }?.add(
        try entry(), number: collector.number, secretFields: collector.secretFields, header, sighting)
    }
    leave(collector)
  }

  private var header: Cassette.Header {
    state.withLock { Cassette.Header(date: $0.date ?? Date(), capabilities: $0.capabilities) }
  }

  /// Performs a step, unless the recording has failed.
  private func attempt(_ step: () throws(LupineError) -> Void) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do throws(LupineError) { try step() } catch { fail(error) }
  }

  /// Ends the recording with an error; the first one counts.
  func fail(_ error: LupineError) {
    state.withLock { if $0.failure == nil { $0.failure = error } }
  }

  func leave(_ collector: ExchangeCollector) {
    state.withLock { state in
      state.collectors[collector.number] = nil
      state.underWay -= 1
      if state.underWay == 0 { idle.set() }
    }
  }

  /// Waits until each exchange that has ended is in the journal.
  ///
  /// These exchanges survive if the process is killed afterwards. They may be lost if the power fails, because this method
  /// does not wait for the disk's cache.
  ///
  /// - Throws: the error that ended the recording.
  public func flush() async throws(LupineError) {
    await work.result {}
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Waits for the exchanges under way, and replaces the cassette.
  ///
  /// A block that differs from one of the old cassette only in times, addresses, the reuse of a connection, the division of
  /// the body into pieces and the field `Date` stays as it was. Later exchanges are not recorded. A second call does nothing.
  /// Without an exchange the cassette stays as it was.
  ///
  /// - Parameter patience: how long to wait for the exchanges under way, on the system's clock; after it they are recorded
  ///   as stalled. Default: 10 seconds.
  /// - Throws: the error that ended the recording. The cassette is then as before.
  public func finish(waiting patience: Duration = .seconds(10)) async throws(LupineError) {
    let isFirst = state.withLock { state in
      if case .finished = state.phase { return false }
      state.phase = .finished
      return true
    }
    guard isFirst else { return }
    await waitForExchanges(patience)
    for (_, collector) in state.withLock({ $0.collectors }) { collector.cut() }
    await work.result { [self] in
      let (store, count) = state.withLock { ($0.store.take(), $0.count) }
      if count > 0 { attempt { () throws(LupineError) in try store?.finish(header) } }
      store?.close()
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// The exchanges of the old cassette that no request has asked for, if `addsMissing` is true; otherwise none.
  public var unusedEntries: [Cassette.Entry] {
    state.withLock { $0.player }?.unused ?? []
  }

  private func waitForExchanges(_ patience: Duration) async {
    let timer = SessionClock(ContinuousClock()).schedule(patience) { [idle] in idle.set() }
    await idle.wait()
    timer.cancel()
  }
}

/// The parts of an open recording that its transports use.
struct OpenRecording: Sendable {
  /// Receives the bodies that are not kept in memory.
  let bodies: BodyStore
  /// Plays the exchanges of the old cassette, if only missing ones are made.
  let player: CassettePlayer?
}
