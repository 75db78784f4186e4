import LupineCore
import Synchronization

/// The environment of one check: a new transport, its peer, and the transcript.
final class ConformanceStage: Sendable {
  private struct State {
    var peer: (any ConformancePeer)?
    var controls: [ExchangeControl] = []
    var lines: [String] = []
    var exchanges = 0
    var isAborted = false
    var isUnordered = false
  }

  let check: String
  let subject: ConformanceSubject
  let transport: any Transport
  private let state = Mutex(State())

  init(check: String, subject: ConformanceSubject) throws {
    self.check = check
    self.subject = subject
    transport = try subject.makeTransport()
  }

  /// Starts the peer.
  func play(_ script: PeerScript) throws {
    let peer = try subject.makePeer(transport, script)
    let isAborted = state.withLock { state in
      state.peer = peer
      return state.isAborted
    }
    if isAborted { peer.stop() }
  }

  /// Starts a peer that answers every request with the closure.
  func play(
    readsBody: Bool = true, holdsHead: Bool = false, _ reply: @escaping @Sendable (PeerRequest) -> PeerReply
  ) throws {
    try play(PeerScript(readsBody: readsBody, holdsHead: holdsHead, reply: reply))
  }

  var peer: any ConformancePeer {
    get throws {
      guard let peer = state.withLock({ $0.peer }) else {
        throw failure("The check itself", expected: "a peer", got: "none")
      }
      return peer
    }
  }

  /// Registers an exchange's control, which an abort cancels; returns the exchange's number.
  func enter(_ control: ExchangeControl) -> Int {
    let (number, isAborted) = state.withLock { state in
      state.exchanges += 1
      state.controls.append(control)
      return (state.exchanges, state.isAborted)
    }
    if isAborted { control.cancel(Self.aborted) }
    return number
  }

  private static let aborted = LupineError(.cancelled, "The check was given up.")

  /// Ends all exchanges and stops the peer.
  func abort() {
    let (peer, controls) = state.withLock { state in
      state.isAborted = true
      return (state.peer, state.controls)
    }
    for control in controls { control.cancel(Self.aborted) }
    peer?.stop()
  }

  func close() async {
    await transport.shutdown()
    state.withLock { $0.peer }?.stop()
  }
}

/// The transcript.
extension ConformanceStage {
  func note(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// Marks the order of the exchanges as arbitrary, so that the transcript is sorted.
  func ignoreOrder() { state.withLock { $0.isUnordered = true } }

  /// The events, and the requests that the peer received.
  var transcript: [String] {
    let (peer, lines, isUnordered) = state.withLock { ($0.peer, $0.lines, $0.isUnordered) }
    let seen = (peer?.requests ?? []).map { "the peer saw \(Normal.text($0))" }
    return isUnordered ? lines.sorted() + seen.sorted() : lines + seen
  }
}
