import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// Ends exchanges whose responses lead, or may lead, to other requests.
extension Attempt {
  /// Reports the end of a body when it arrives.
  ///
  /// The decision about the next exchange may take long, for example if a person enters a password. That time is not
  /// part of this exchange.
  func reportEnd(of response: TransportResponse) {
    guard execution.isObserved, let control = execution.state.withLock({ $0.control }) else { return }
    // The closure is kept until the body ends, and this value may hold the body.
    response.body.onEnd { [execution, number] end in
      guard case .success(let end) = end, execution.state.withLock({ $0.takeEndReport(of: control) }) else { return }
      Self.report(end, of: execution, number)
    }
  }

  /// Waits for the end of a body before code that may take long; does not change the end.
  ///
  /// - Throws: the reason why the request or its attempt was ended meanwhile.
  func awaitEnd(of response: TransportResponse) async throws(LupineError) {
    _ = try? await response.body.end()
    if let ended = execution.state.withLock({ $0.reasonToEnd }) { throw ended }
  }

  func report(_ end: BodyEnd) { Self.report(end, of: execution, number) }

  private static func report(_ end: BodyEnd, of execution: RequestExecution, _ number: Int) {
    if let trailers = end.trailers { execution.emit(.trailers(trailers), attempt: number) }
    execution.emit(.received(bytes: end.byteCount, end.metrics), attempt: number)
  }

  /// Ends an exchange whose response has led to another request, once its body has ended.
  func leave(_ response: TransportResponse) async {
    let control = execution.state.withLock { $0.control }
    response.body.open(.discard(limit: configuration.limits.discardedBody))
    let metrics: TransferMetrics?
    do throws(LupineError) {
      let end = try await response.body.end()
      if execution.isObserved, execution.state.withLock({ $0.takeEndReport(of: control) }) { report(end) }
      metrics = end.metrics
    } catch {
      // If the request or its attempt was ended, the attempt reports the error.
      let isOwn = execution.state.withLock { $0.reasonToEnd == nil }
      if isOwn, execution.isObserved, execution.state.withLock({ $0.takeEndReport(of: control) }) {
        emit(.failed(error.caused(by: control)))
      }
      metrics = error.metrics
    }
    close(control, status: response.statusCode, metrics: metrics)
  }
}

/// Ends an exchange that an interceptor or a scheme abandons.
extension Attempt {
  /// Ends the exchange that interceptors abandoned, without waiting for its transport; keeps the metrics known so far.
  func breakOffExchange() async {
    guard let control = execution.state.withLock({ $0.control }), let body, control.owns(body) else {
      return await abandonExchange()
    }
    if execution.handler != nil { await body.flush() }
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: body.metricsSoFar)
  }

  /// Ends an exchange whose response is not needed; keeps its metrics if its body has already ended.
  ///
  /// - Parameters:
  ///   - body: the body of the response; `nil` means the body that the interceptors received.
  ///   - own: the replacement body that an interceptor made; if it has the same metrics, they are not counted twice.
  func abandonExchange(_ body: ResponseBody? = nil, for own: ResponseBody? = nil) async {
    guard let control = execution.state.withLock({ $0.control }) else { return }
    let abandoned = (body ?? self.body).flatMap { control.owns($0) ? $0 : nil }
    if execution.handler != nil { await abandoned?.flush() }
    let metrics = abandoned?.metricsAtEnd
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: metrics == own?.metricsAtEnd ? nil : metrics)
  }

  private static let unwanted = LupineError(.cancelled, "The response was not needed any more.")
}

/// Ends responses that are refused at their head.
extension Attempt {
  /// Ends a response whose body has not been handed over.
  ///
  /// - Parameter limit: the number of bytes of the body to read first. Default: 0.
  /// - Returns: the reason, with those bytes and the metrics of the exchange.
  func refused(
    _ response: TransportResponse, _ control: ExchangeControl?, _ reason: LupineError, reading limit: Int64 = 0
  ) async -> LupineError {
    let (bytes, isWhole) = await excerpt(of: response, control, limit: Int(clamping: limit))
    if !isWhole {
      control?.cancel(reason)
      await response.body.flush()
      response.body.abandon()
    }
    let reason = reason.carrying(bytes, limit: limit)
    do throws(LupineError) {
      return reason.measured(try await response.body.end().metrics)
    } catch {
      return error.metrics.map { reason.measured($0) } ?? reason
    }
  }

  /// Reads the first bytes of a body; also returns whether they are the whole body.
  ///
  /// A cancellation, a deadline or the idle timeout ends the reading. The idle timeout also limits the whole reading,
  /// so that a slow server does not delay the error.
  private func excerpt(
    of response: TransportResponse, _ control: ExchangeControl?, limit: Int
  ) async -> (bytes: Data, isWhole: Bool) {
    var bytes = Data()
    guard limit > 0, let control else { return (bytes, false) }
    let alarm = session.clock.schedule(readingTime) {
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
    let timeouts = execution.state.withLock { $0.timing.changedTimeouts } ?? execution.timeouts
    return timeouts.idle ?? Timeouts().idle ?? .seconds(60)
  }
}

extension Attempt {
  /// The end of the body.
  ///
  /// A body that exceeds a size limit but is not needed counts as empty, so that the request ends with its status.
  func end(of answer: FinalResponse) async throws(LupineError) -> BodyEnd {
    let body = answer.response.body
    guard answer.acceptsLongBody else { return try await body.end() }
    return try await body.end(excerptingExcess: configuration.limits.errorBody)
  }
}
