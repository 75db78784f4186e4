import HTTPTypes

/// Turns outcomes into responses with values.
enum Serialization {
  /// Serializes off the caller's actor and measures the time.
  @concurrent
  static func response<Value: Sendable>(
    from outcome: Outcome, with serializer: any ResponseSerializer<Value>, of task: RequestTask
  ) async -> DataResponse<Value> {
    let secrets = task.session.configuration.secretFields
    guard outcome.error == nil, let received = outcome.response else {
      return DataResponse(outcome, duration: .zero, result: .failure(outcome.error ?? noResponse), secrets: secrets)
    }
    let clock = task.session.clock
    let start = clock.now()
    let result = serialize(received, with: serializer).mapError { error in
      error.about(received.request.summary).about(received.head).measured(received.metrics).hiding(secrets)
    }
    let duration = clock.now() - start
    if task.isObserved {
      let error: LupineError? = if case .failure(let error) = result { error } else { nil }
      task.emit(.serialized(into: "\(Value.self)", after: duration, error))
    }
    return DataResponse(outcome, duration: duration, result: result, secrets: secrets)
  }

  private static func serialize<Value: Sendable>(
    _ received: ReceivedResponse, with serializer: any ResponseSerializer<Value>
  ) -> Result<Value, LupineError> {
    do {
      return .success(try serializer.serialize(received))
    } catch {
      let failure =
        error as? LupineError
        ?? LupineError(.serializationFailed, "The response could not be serialized: \(error).", underlying: error)
      return .failure(failure)
    }
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
