public import LupineFoundation

extension TransferContext {
  /// Starts a task that belongs to the session and not to the request, such as the refresh of a stored response.
  ///
  /// The task may outlast the request; a cancellation of the request does not cancel it. `Session.shutdown()` cancels
  /// it and waits for its end, and a session that is released cancels it. The task does not keep the session alive,
  /// unless the operation captures this context or the session.
  ///
  /// - Parameters:
  ///   - isAwaited: whether the end of the session waits for the task, for example because it stores a response.
  ///     `Session.finishRequests()` then waits for it, for a second at most. `Session.shutdown()` cancels it only after
  ///     a second, and so does the release of the session. Default: `false`.
  ///   - operation: the work. It runs in a task of its own, on the session's executor, or else on the global one. It
  ///     returns soon after its task is cancelled.
  /// - Returns: whether the task was started; `false` after the shutdown of the session.
  @discardableResult
  public func startBackgroundTask(
    isAwaited: Bool = false, _ operation: @escaping @Sendable (BackgroundTask) async -> Void
  ) -> Bool {
    let tasks = settings.backgroundTasks
    // Without the request's control and supervisor, which refer to the session.
    let context = detached(ExchangeControl())
    return tasks.start(isAwaited: isAwaited) {
      await operation(BackgroundTask(work: $0, tasks: tasks, context: context))
    }
  }
}

/// A running task of a session, as its operation receives it.
///
/// `TransferContext.startBackgroundTask(_:)` starts one.
public struct BackgroundTask: Sendable {
  let work: BackgroundWork
  let tasks: BackgroundTasks
  /// The context of the exchange that started the task, without its request.
  let context: TransferContext

  /// The session's clock.
  public var clock: any Clock<Duration> { context.clock }
  /// Returns the session's date; may be called from any thread.
  public var now: @Sendable () -> Date { context.now }
  /// The session's limits.
  public var limits: Limits { context.limits }

  /// Sends a request to the layers behind the one that started the task.
  ///
  /// The operation opens the body of the response (`ResponseBody.open`), for example with `.collect(limit:)`.
  ///
  /// The exchange has the connection properties, the trust evaluator and the proxy of the exchange that started the
  /// task. The request must therefore be for the same origin. The exchange emits no events, and the session neither
  /// retries the request nor follows redirects. Its timeouts are those of the request, or the session's; the shorter of
  /// `attempt` and `total` bounds the exchange. The exchange is cancelled when the task is cancelled, or when its
  /// operation returns before the end of the body.
  ///
  /// - Parameters:
  ///   - request: the request with all its fields. Cookies and credentials are not added.
  ///   - next: the layer's own parameter `next`.
  /// - Throws: the error of the exchange, or the reason for a cancellation.
  public func send(
    _ request: OutgoingRequest, through next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let control = ExchangeControl(now: tasks.clock.now)
    let exchange = BackgroundExchange(control, request.timeouts ?? tasks.timeouts, clock: tasks.clock)
    let own = context.detached(control)
    try work.begin(exchange)
    let result = await withTaskCancellationHandler {
      do throws(LupineError) {
        return Result<TransportResponse, LupineError>.success(try await next(request, in: own))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      control.cancel(work.reason ?? LupineError(.cancelled, "The background task was cancelled."))
    }
    switch result {
    case .success(let response):
      response.body.onEnd { [work] _ in work.end(control) }
      return response
    case .failure(let error):
      work.end(control)
      throw control.reason ?? error
    }
  }
}
