import HTTPTypes
import LupineCoding
public import LupineCore

/// Turns outcomes into responses with values.
enum Serialization {
  /// Serializes off the caller's actor and measures the time.
  ///
  /// - Parameter kept: the serializer and its result, if the retriers decide about its failure.
  @concurrent
  static func response<Value: Sendable>(
    from outcome: RequestOutcome, with serializer: any ResponseSerializer<Value>, of execution: RequestExecution,
    _ kept: PendingSerialization<Value>?
  ) async -> DataResponse<Value> {
    let (result, duration) =
      if let known = kept?.takeResult(of: outcome) { known } else if execution.handler == nil {
        measured(outcome, of: execution, serializer)
      } else {
        await loadedAndMeasured(outcome, of: execution, serializer)
      }
    return DataResponse(
      outcome, duration: duration, result: result, secrets: execution.session.configuration.secretFields)
  }

  /// Serializes the content that the handler of the response loads.
  static func loadedAndMeasured<Value: Sendable>(
    _ outcome: RequestOutcome, of execution: RequestExecution, _ serializer: any ResponseSerializer<Value>
  ) async -> (result: Result<Value, LupineError>, duration: Duration) {
    let (outcome, failure) = await execution.loaded(outcome)
    return measured(outcome, loadFailure: failure, of: execution, serializer)
  }

  /// - Parameter loadFailure: the error of the handler that could not load the content; the serializer then fails with
  ///   it.
  static func measured<Value: Sendable>(
    _ outcome: RequestOutcome, loadFailure: LupineError? = nil, of execution: RequestExecution,
    _ serializer: any ResponseSerializer<Value>
  ) -> (result: Result<Value, LupineError>, duration: Duration) {
    let received: ReceivedResponse
    do throws(LupineError) { received = try Self.received(outcome, of: execution, for: serializer) } catch {
      return (.failure(error), .zero)
    }
    let clock = execution.session.clock
    let start = clock.now()
    let result: Result<Value, LupineError>
    do {
      if let loadFailure { throw loadFailure }
      result = .success(try serializer.serialize(received))
    } catch {
      result = .failure(failure(error, received, serializer, execution))
    }
    let duration = clock.now() - start
    let error: LupineError? = if case .failure(let error) = result { error } else { nil }
    execution.emit(.serialized(into: "\(Value.self)", after: duration, error))
    return (result, duration)
  }

  /// Serializes the value without a `DataResponse`, which avoids its metadata lookup.
  ///
  /// The time is measured only if there is a monitor.
  static func value<Value: Sendable>(
    from outcome: RequestOutcome, with serializer: any ResponseSerializer<Value>, of execution: RequestExecution
  ) throws(LupineError) -> Value {
    let received = try received(outcome, of: execution, for: serializer)
    let start = execution.isObserved ? execution.session.clock.now() : .zero
    do {
      let value = try serializer.serialize(received)
      execution.emit(.serialized(into: "\(Value.self)", after: execution.session.clock.now() - start, nil))
      return value
    } catch {
      let reason = failure(error, received, serializer, execution)
      execution.emit(.serialized(into: "\(Value.self)", after: execution.session.clock.now() - start, reason))
      throw reason
    }
  }

  private static func received(
    _ outcome: RequestOutcome, of execution: RequestExecution, for serializer: any ResponseSerializer
  ) throws(LupineError) -> ReceivedResponse {
    if let error = outcome.error { throw explained(error, by: serializer) }
    guard var response = outcome.response else { throw noResponse }
    response.permitWarnings(to: execution)
    return response
  }

  private static func failure(
    _ error: any Error, _ received: ReceivedResponse, _ serializer: any ResponseSerializer,
    _ execution: RequestExecution
  ) -> LupineError {
    let configuration = execution.session.configuration
    let failure = wrapped(error).about(received.request.summary).about(received.head).measured(received.metrics)
      .redacted(configuration.secretFields).carrying(received.data, limit: configuration.limits.errorBody)
    return explained(failure, by: serializer)
  }

  private static func explained(_ error: LupineError, by serializer: any ResponseSerializer) -> LupineError {
    (serializer as? any FailureExplaining)?.explained(error) ?? error
  }

  static func wrapped(_ error: any Error) -> LupineError {
    error as? LupineError
      ?? LupineError(.serializationFailed, "The response could not be serialized: \(error).", underlying: error)
  }

  private static let noResponse = LupineError(.other, "The request ended without a response and without an error.")
}

extension ReceivedResponse {
  /// Sets the closure with which serializers send warnings to the monitors, if there is a monitor and no closure yet.
  mutating func permitWarnings(to execution: RequestExecution) {
    guard execution.isObserved, warn == nil else { return }
    // A serializer may keep the response.
    warn = { [weak execution] in execution?.emit(.warning($0)) }
  }
}

extension DataResponse {
  init(_ outcome: RequestOutcome, duration: Duration, result: Result<Value, LupineError>, secrets: SecretFields) {
    self.init(
      request: outcome.request, response: outcome.head ?? outcome.error?.response,
      data: outcome.response?.data, trailers: outcome.response?.trailers,
      metrics: outcome.metrics ?? outcome.error?.metrics ?? TransferMetrics(), redirects: outcome.redirects,
      serializationDuration: duration, result: result, attributes: outcome.attributes)
    secretFields = secrets
  }
}

extension RequestExecution {
  /// Serializes the response of an outcome off the caller's actor, measures the time, and reports it to the monitors.
  ///
  /// A serializer that names no decoder uses the session's, as do those of `Session.decodingDefaults`. An outcome with
  /// an error gives that error, which a `FailureExplaining` serializer explains. An error of the serializer gets the
  /// request, the head, the metrics and the first bytes of the body. The handler of the response loads the content
  /// first (`ResponseHandler.load(_:in:)`); an error of the handler counts as an error of the serializer.
  ///
  /// No retrier decides about a failure; see `addSerializer(_:)`.
  @concurrent
  public func serialize<Serializer: ResponseSerializer>(
    _ outcome: RequestOutcome, with serializer: Serializer
  ) async -> (result: Result<Serializer.Output, LupineError>, duration: Duration) {
    await Serialization.loadedAndMeasured(
      outcome, of: self, SessionBoundSerializer(serializer, session.decodingDefaults))
  }

  /// The outcome with the content that serializers read, and the error of the handler if it could not load the content.
  func loaded(_ outcome: RequestOutcome) async -> (outcome: RequestOutcome, failure: LupineError?) {
    guard let handler, outcome.error == nil, let response = outcome.response else { return (outcome, nil) }
    do throws(LupineError) {
      return (RequestOutcome(try await handler.load(response, in: session)), nil)
    } catch {
      return (outcome, error)
    }
  }
}
