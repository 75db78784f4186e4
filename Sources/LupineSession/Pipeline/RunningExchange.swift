import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// The running exchange of an attempt; opens its body, and ends it.
///
/// The state of the request holds the control, because a cancellation comes from any thread. This value is used by the
/// pipeline's task.
struct RunningExchange: Sendable {
  let execution: RequestExecution
  /// The number of the attempt, for events.
  let attempt: Int
  /// `nil` if no exchange runs.
  let control: ExchangeControl?

  init(_ execution: RequestExecution, attempt: Int, _ control: ExchangeControl?) {
    self.execution = execution
    self.attempt = attempt
    self.control = control
  }

  private static let unwanted = LupineError(.cancelled, "The response was not needed any more.")

  private var limits: Limits { execution.session.configuration.limits }

  /// Ends the exchange in the state of the request.
  ///
  /// - Parameter status: the status of the response, if it counts.
  private func end(status: Int?, _ metrics: TransferMetrics?) {
    control?.finish()
    execution.state.withLock { $0.endExchange(status: status, metrics: metrics) }
  }

  /// Ends the exchange after the end of its body.
  func finish(_ end: BodyEnd, status: Int) {
    report(end)
    self.end(status: status, end.metrics)
  }

  /// Ends the exchange after an error; returns the error for the caller.
  ///
  /// - Parameter status: the status of the response, if there is one.
  func fail(_ error: LupineError, status: Int? = nil) -> LupineError {
    end(status: status, error.metrics)
    return error.caused(by: control)
  }

  /// Ends the exchange, whose response is not needed, without waiting for its transport.
  ///
  /// - Parameters:
  ///   - body: the body of the response, if one has arrived; its metrics so far are kept.
  ///   - own: the replacement body that an interceptor made; if it has the same metrics, they are not counted twice.
  func abandon(_ body: ResponseBody?, for own: ResponseBody? = nil) async {
    guard let control else { return }
    let abandoned = body.flatMap { control.owns($0) ? $0 : nil }
    if execution.handler != nil { await abandoned?.flush() }
    control.cancel(Self.unwanted)
    let metrics = abandoned?.metricsSoFar
    end(status: nil, metrics == own?.metricsAtEnd ? nil : metrics)
  }

  /// Ends the exchange, whose response has led to another request, once the rest of its body has been discarded.
  func discard(_ response: TransportResponse) async {
    response.body.open(.discard(limit: limits.discardedBody))
    do throws(LupineError) {
      finish(try await response.body.end(), status: response.statusCode)
    } catch {
      // If the request or its attempt was ended, the attempt reports the error.
      let isOwn = execution.state.withLock { $0.reasonToEnd == nil }
      if isOwn, takesReport { execution.emit(event(of: error), attempt: attempt) }
      end(status: response.statusCode, error.metrics)
    }
  }

  /// The event of an error in a body that is discarded: its digest does not matter, so that only a lost body has failed.
  private func event(of error: LupineError) -> SessionEvent.Kind {
    guard error.kind == .digestMismatch else { return .failed(error.caused(by: control)) }
    let metrics = error.metrics ?? TransferMetrics()
    return .received(bytes: metrics.bytesReceived, metrics)
  }
}

/// Receives the body of the exchange.
extension RunningExchange {
  /// Opens the body of a final response.
  ///
  /// - Parameter sink: the sink of the decoded body; `nil` collects it in memory.
  func open(_ response: TransportResponse, into sink: BodySink? = nil, offset: Int64 = 0) {
    guard let control else { return response.body.abandon() }
    let session = execution.session
    let stages =
      session.hasCodings
      ? session.configuration.contentCodings.decoders(for: response.head, limits: session.configuration.limits) : []
    let isGood = 200..<300 ~= response.statusCode
    execution.progress.report(of: .download) {
      $0.begin(base: offset, fields: response.head.headerFields, isAnswer: isGood, now: response.body.begun)
    }
    let isFile = if case .file = sink?.destination { true } else { false }
    if !isFile { control.countAsProgress(response.body) }
    if let sink {
      response.body.open(BodySink(sink.destination, stages: stages + sink.stages))
    } else {
      response.body.open(BodySink(.collect(limit: session.exchangeSettings.limits.responseBody), stages: stages))
    }
    // The file is written while the program's closures decide about the head.
    if isFile {
      Task(executorPreference: session.configuration.executor) { _ = try? await response.body.end() }
    }
  }

  /// Waits for the end of a challenge's body, which becomes the response if the program gives no credential.
  ///
  /// It does not wait for a body that is handed over at its head, because such a body has no reader yet.
  func receiveChallengeBody(of response: TransportResponse) async throws(LupineError) {
    guard !execution.handsOverAtHead else { return }
    if execution.handler == nil {
      open(response)
    } else {
      response.body.open(.collect(limit: min(limits.responseBody, limits.discardedBody)))
    }
    try await awaitEnd(of: response)
  }

  /// Waits for the end of a body before code that may take long; does not change the end.
  ///
  /// - Throws: the reason why the request or its attempt was ended meanwhile.
  func awaitEnd(of response: TransportResponse) async throws(LupineError) {
    _ = try? await response.body.end()
    if let ended = execution.state.withLock({ $0.reasonToEnd }) { throw ended }
  }
}

/// Reports the end of the exchange to monitors, once.
extension RunningExchange {
  /// Reports the end of a body when it arrives.
  ///
  /// The decision about the next exchange may take long, for example if a person enters a password. That time is not
  /// part of this exchange.
  func reportEnd(of response: TransportResponse) {
    guard execution.isObserved, control != nil else { return }
    response.body.onEnd { end in if case .success(let end) = end { report(end) } }
  }

  /// Whether the caller reports the end.
  private var takesReport: Bool { execution.isObserved && execution.state.withLock { $0.takeEndReport(of: control) } }

  private func report(_ end: BodyEnd) { if takesReport { emit(end) } }

  /// Emits the events of an end that the caller has taken to report.
  func emit(_ end: BodyEnd) {
    if let trailers = end.trailers { execution.emit(.trailers(trailers), attempt: attempt) }
    execution.emit(.received(bytes: end.byteCount, end.metrics), attempt: attempt)
  }
}

/// Refuses a response at its head.
extension RunningExchange {
  /// Cuts off a response whose body has not been handed over, and ends the exchange.
  ///
  /// - Parameter limit: the number of bytes of the body to read first. Default: 0.
  /// - Returns: the reason, with those bytes and the metrics of the exchange.
  func refuse(_ response: TransportResponse, _ reason: LupineError, reading limit: Int64 = 0) async -> LupineError {
    let (bytes, isWhole) = await excerpt(of: response, limit: Int(clamping: limit))
    if !isWhole {
      control?.cancel(reason)
      await response.body.flush()
      response.body.abandon()
    }
    var refusal = reason.carrying(bytes, limit: limit)
    do throws(LupineError) {
      refusal = refusal.measured(try await response.body.end().metrics)
    } catch {
      // The refusal is the error, even if reading the body failed.
      if let metrics = error.metrics { refusal = refusal.measured(metrics) }
    }
    end(status: response.statusCode, refusal.metrics)
    return refusal
  }

  /// Reads the first bytes of a body; also returns whether they are the whole body.
  ///
  /// A cancellation, a deadline or the idle timeout ends the reading. The idle timeout also limits the whole reading,
  /// so that a slow server does not delay the error.
  private func excerpt(of response: TransportResponse, limit: Int) async -> (bytes: Data, isWhole: Bool) {
    var bytes = Data()
    guard limit > 0, let control else { return (bytes, false) }
    let alarm = execution.session.clock.schedule(readingTime) {
      control.cancel(LupineError(.timedOut(.idle), "The body of a refused response took too long."))
    }
    defer { alarm.cancel() }
    do throws(LupineError) {
      while bytes.count < limit {
        guard let piece = try await response.body.next() else { return (bytes, true) }
        bytes.append(contentsOf: piece.prefix(limit - bytes.count))
      }
    } catch {
      // The bytes received so far are kept, because the refusal is more important than this error.
    }
    return (bytes, false)
  }

  /// The request's idle timeout, or the default one if the request has none.
  private var readingTime: Duration {
    let timeouts = execution.state.withLock { $0.timing.changedTimeouts } ?? execution.timeLimits.timeouts
    return timeouts.idle ?? Timeouts().idle ?? .seconds(60)
  }
}

extension LupineError {
  /// Replaces the transport's `cancelled` error with the reason that the session gave.
  func caused(by control: ExchangeControl?) -> LupineError {
    guard let reason = control?.reason else { return self }
    return metrics.map { reason.measured($0) } ?? reason
  }
}
