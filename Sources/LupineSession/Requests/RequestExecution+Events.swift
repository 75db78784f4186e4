import HTTPTypes
package import LupineCore
import Synchronization

extension RequestExecution {
  /// Sends an event to the monitors of the session, then to those of the request.
  ///
  /// The test is inlined, so that no event is created without a monitor.
  @inline(__always)
  func emit(_ kind: @autoclosure () -> SessionEvent.Kind, attempt: Int = 0) {
    if isObserved { send(kind(), attempt) }
  }

  @inline(never)
  private func send(_ kind: consuming SessionEvent.Kind, _ attempt: Int) {
    let kinds = kind.kinds
    let own = observation.load(ordering: .acquiring) == .request ? state.withLock { $0.settings.monitors } : nil
    guard session.monitors.kinds.contains(kinds) || own?.kinds.contains(kinds) == true else { return }
    if kind.mayHaveSecrets { kind = kind.redacted(session.configuration.secretFields) }
    let event = SessionEvent(request: id, attempt: attempt, time: session.clock.now(), kind: kind)
    session.monitors.receive(event, of: kinds)
    own?.receive(event, of: kinds)
  }

  /// Adds a monitor, which receives the later events of this request.
  func add(_ monitor: any EventMonitor) {
    let monitor = monitor.makeMonitor(clock: session.configuration.clock)
    state.withLock { $0.settings.monitors.append(monitor) }
    observation.store(.request, ordering: .releasing)
  }

  /// Adds a retrier, which decides about the later attempts of this request.
  func add(_ retrier: any Retrier) {
    state.withLock { $0.settings.retriers.append(retrier) }
    if retrier.decidesAboutSerializers { retriesSerializers.store(true, ordering: .releasing) }
  }

  /// Which monitors receive the events of a request.
  enum Observation: UInt8, AtomicRepresentable {
    case none
    case session
    /// The monitors of the request, and those of the session if it has any.
    case request
  }
}

// `package`: `ExchangeSupervisor` is a protocol of that access, by which an exchange reports to its request.
extension RequestExecution: ExchangeSupervisor {
  /// Whether there is a monitor; without one, no events are created.
  package var isObserved: Bool { observation.load(ordering: .acquiring) != .none }

  package func cancelRequest() { cancel() }

  package func willSend(from base: Int64, length: Int64?, at time: Duration) {
    progress.report(of: .upload) { $0.begin(base: base, length: length, now: time) }
  }

  package func didSend(_ count: Int64, at time: Duration) {
    report(.upload) { $0.move(toSent: count, now: time) }
  }

  package func didAcknowledge(_ count: Int64, of total: Int64?, at time: Duration) {
    report(.upload) { $0.acknowledge(count, of: total, now: time) }
  }

  package func didReceive(_ count: Int64, at time: Duration) {
    report(.download) { $0.move(to: count, now: time) }
  }

  package func receive(_ event: SessionEvent.Kind, attempt: Int) {
    switch event {
    case .informational(let head): receiveInterim(head)
    case .tunnelled(let head): state.withLock { if $0.attempt == attempt { $0.history.tunnel = head } }
    default: break
    }
    emit(event, attempt: attempt)
  }
}

extension SessionEvent.Kind {
  /// Whether the event may contain secret fields.
  fileprivate var mayHaveSecrets: Bool {
    switch self {
    case .head, .informational, .tunnelled, .trailers, .failed, .resending: true
    case .validated(let error), .finished(let error): error != nil
    default: false
    }
  }

  /// Returns the event without the values of secret fields.
  fileprivate func redacted(_ secrets: SecretFields) -> Self {
    switch self {
    case .head(let head): .head(head.redacted(secrets))
    case .informational(let head): .informational(head.redacted(secrets))
    case .tunnelled(let head): .tunnelled(head.redacted(secrets))
    case .trailers(let fields): .trailers(secrets.redact(fields))
    case .failed(let error): .failed(error.redacted(secrets))
    case .resending(let error, let reason): .resending(after: error.redacted(secrets), reason: reason)
    case .validated(let error): .validated(error?.redacted(secrets))
    case .finished(let error): .finished(error?.redacted(secrets))
    default: self
    }
  }
}
