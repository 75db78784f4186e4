import HTTPTypes
import LupineCoding
public import LupineCore

/// Turns outcomes into responses with values.
enum Serialization {
  /// Serializes off the caller's actor and measures the time.
  @concurrent
  static func response<Value: Sendable>(
    from outcome: RequestOutcome, with serializer: any ResponseSerializer<Value>, of execution: RequestExecution
  ) async -> DataResponse<Value> {
    let (result, duration) = measured(outcome, of: execution, serializer) { _ in }
    return DataResponse(
      outcome, duration: duration, result: result, secrets: execution.session.configuration.secretFields)
  }

  /// - Parameter prepare: changes the response before it is serialized; its time is measured, too.
  static func measured<Value: Sendable>(
    _ outcome: RequestOutcome, of execution: RequestExecution, _ serializer: any ResponseSerializer<Value>,
    _ prepare: (inout ReceivedResponse) throws -> Void
  ) -> (result: Result<Value, LupineError>, duration: Duration) {
    var received: ReceivedResponse
    do throws(LupineError) { received = try Self.received(outcome, for: serializer) } catch {
      return (.failure(error), .zero)
    }
    let clock = execution.session.clock
    let start = clock.now()
    let result: Result<Value, LupineError>
    do {
      try prepare(&received)
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
    let received = try received(outcome, for: serializer)
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
    _ outcome: RequestOutcome, for serializer: any ResponseSerializer
  ) throws(LupineError) -> ReceivedResponse {
    if let error = outcome.error { throw explained(error, by: serializer) }
    guard let response = outcome.response else { throw noResponse }
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
  /// request, the head, the metrics and the first bytes of the body.
  ///
  /// - Parameter prepare: changes the response first, for example its data if the body is in a file. Its time is
  ///   included, and its error counts as an error of the serializer.
  @concurrent
  public func serialize<Serializer: ResponseSerializer>(
    _ outcome: RequestOutcome, with serializer: Serializer,
    preparing prepare: @Sendable (inout ReceivedResponse) throws -> Void = { _ in }
  ) async -> (result: Result<Serializer.Output, LupineError>, duration: Duration) {
    Serialization.measured(outcome, of: self, serializer) { response in
      response.decodingDefaults = session.decodingDefaults
      try prepare(&response)
    }
  }
}
