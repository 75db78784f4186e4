import HTTPTypes
import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// One exchange that may be sent several times; the first good response is used.
final class HedgedExchange: Sendable {
  private let next: NextExchange
  private let hedging: Hedging
  private let request: OutgoingRequest
  private let context: TransferContext
  private let state: Mutex<HedgingState>

  init(
    _ next: NextExchange, _ hedging: Hedging, _ request: OutgoingRequest, _ context: TransferContext
  ) {
    self.next = next
    self.hedging = hedging
    self.request = request
    self.context = context
    state = Mutex(HedgingState(hedges: hedging.limit, budget: hedging.budget, url: request.url))
  }

  func run() async throws(LupineError) -> TransportResponse {
    context.onCancel { [self] in cancel() }
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<HedgingState.Outcome, Never>) in
      state.withLock { $0.continuation = continuation }
      start()
    }
    return try result.get()
  }

  /// Starts a try; if another try's end and its timer both request it, it is started once.
  private func start(after other: Int? = nil, because reason: String? = nil) {
    let control = context.control.branch()
    guard let index = state.withLock({ $0.begin(control, after: other) }) else { return settle() }
    if let reason { context.emit(.decided(policy: "hedging", reason: "sends the exchange again: \(reason)")) }
    let branch = context.branch(control)
    Task.immediate(executorPreference: context.executor) { [self] in
      let result: Result<TransportResponse, LupineError>
      do throws(LupineError) {
        let response = try await next(request, in: branch)
        handleHead(response, index, control)
        result = .success(response)
      } catch {
        result = .failure(error)
        control.finish()
      }
      handleEnd(index, result)
    }
    scheduleHedge(after: index)
  }

  /// Schedules the next try.
  private func scheduleHedge(after index: Int) {
    guard state.withLock({ $0.canBegin }) else { return }
    let timer = Task.immediate(executorPreference: context.executor) { [self] in
      let clock = SessionClock(context.clock, executor: context.executor)
      guard (try? await clock.sleep(hedging.delay)) != nil else { return }
      switch state.withLock({ $0.reserve(after: index) }) {
      case true?: start(after: index, because: "no response arrived within \(hedging.delay.milliseconds)")
      case false?: stopHedging()
      case nil: break
      }
    }
    if state.withLock({ $0.store(timer) }) { timer.cancel() }
  }

  /// Starts no further try, because the budget is exhausted.
  private func stopHedging() {
    context.emit(.decided(policy: "hedging", reason: "the budget of hedges for \(request.url.origin) is spent"))
    settle()
  }

  /// Delivers the result if no try is running or pending.
  private func settle() {
    if let deliver = state.withLock({ $0.settle() }) { finish(deliver) }
  }

  private func finish(_ deliver: HedgingState.Delivery) {
    for control in state.withLock({ $0.unfinishedControls }) { control.cancel(Self.superseded) }
    deliver()
  }

  /// Decides at its head whether a response is used.
  private func handleHead(_ response: TransportResponse, _ index: Int, _ control: ExchangeControl) {
    let isGood = !hedging.badStatusCodes.contains(response.head.status.code)
    if !isGood { reserveAnother(after: index, response.head) }
    guard let others = state.withLock({ $0.claim(index, isGood) }) else {
      return response.body.open(.discard(limit: context.limits.discardedBody))
    }
    if isGood { hedging.budget.answered(request.url) }
    control.choose()
    for other in others { other.cancel(Self.superseded) }
  }

  /// Decides at a bad head whether another try follows; the body of the last response is kept, because that response is
  /// used.
  private func reserveAnother(after index: Int, _ head: HTTPResponse) {
    // The server asks for a delay, and another try would not wait.
    guard !head.headerFields.contains(.retryAfter) else { return state.withLock { $0.stopBeginning() } }
    if state.withLock({ $0.reserve(after: index) }) == false { stopHedging() }
  }

  private func handleEnd(_ index: Int, _ result: Result<TransportResponse, LupineError>) {
    if case .failure(let error) = result, !RetryPolicy.defaultErrors.contains(error.kind) {
      state.withLock { $0.stopBeginning() }
    }
    switch state.withLock({ $0.end(index, result) }) {
    case .beginReserved: start(after: index, because: Self.reason(result))
    case .stopHedging: stopHedging()
    case .deliver(let deliver): finish(deliver)
    case .wait: break
    }
  }

  private func cancel() {
    let controls = state.withLock { $0.cancel() }
    let reason = context.control.reason ?? LupineError(.cancelled, "The request was cancelled.")
    for control in controls { control.cancel(reason) }
  }

  private static func reason(_ result: Result<TransportResponse, LupineError>) -> String {
    switch result {
    case .success(let response): "status \(response.head.status.code)"
    case .failure(let error): error.message
    }
  }

  private static let superseded = LupineError(.cancelled, "Another exchange of the same request was answered first.")
}
