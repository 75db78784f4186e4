import HTTPTypes

/// Turns outcomes into responses with values.
enum Serialization {
  /// Serializes off the caller's actor and measures the time.
  @concurrent
  static func response<Value: Sendable>(
    from outcome: Outcome, with serializer: any ResponseSerializer<Value>, of task: RequestTask
  ) async -> DataResponse<Value> {
    let secrets = task.session.configuration.secretFields
    let received: ReceivedResponse
    do throws(LupineError) { received = try Self.received(outcome) } catch {
      return DataResponse(outcome, duration: .zero, result: .failure(error), secrets: secrets)
    }
    let clock = task.session.clock
    let start = clock.now()
    let result: Result<Value, LupineError>
    do { result = .success(try serializer.serialize(received)) } catch {
      result = .failure(failure(error, received, secrets))
    }
    let duration = clock.now() - start
    if task.isObserved {
      let error: LupineError? = if case .failure(let error) = result { error } else { nil }
      task.emit(.serialized(into: "\(Value.self)", after: duration, error))
    }
    return DataResponse(outcome, duration: duration, result: result, secrets: secrets)
  }

  /// The value alone, without the response around it and without measuring the time, which nobody hears of.
  @concurrent
  static func value<Value: Sendable>(
    from outcome: Outcome, with serializer: any ResponseSerializer<Value>, of task: RequestTask
  ) async throws(LupineError) -> Value {
    let received = try received(outcome)
    do { return try serializer.serialize(received) } catch {
      throw failure(error, received, task.session.configuration.secretFields)
    }
  }

  private static func received(_ outcome: Outcome) throws(LupineError) -> ReceivedResponse {
    if let error = outcome.error { throw error }
    guard let response = outcome.response else { throw noResponse }
    return response
  }

  private static func failure(
    _ error: any Error, _ received: ReceivedResponse, _ secrets: SecretFields
  ) -> LupineError {
    let failure =
      error as? LupineError
      ?? LupineError(.serializationFailed, "The response could not be serialized: \(error).", underlying: error)
    return failure.about(received.request.summary).about(received.head).measured(received.metrics).hiding(secrets)
  }

  private static let noResponse = LupineError(.other, "The request ended without a response and without an error.")
}

extension DataResponse {
  init(_ outcome: Outcome, duration: Duration, result: Result<Value, LupineError>, secrets: SecretFields) {
    self.init(
      request: outcome.request, response: outcome.response?.head ?? outcome.error?.response,
      data: outcome.response?.data, trailers: outcome.response?.trailers,
      metrics: outcome.response?.metrics ?? outcome.error?.metrics ?? TransferMetrics(), redirects: outcome.redirects,
      serializationDuration: duration, result: result)
    secretFields = secrets
  }
}
