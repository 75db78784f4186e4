import LupineCore
import Synchronization

/// Serializes a response before the request ends, so that the retriers can decide about a failure.
extension Attempt {
  /// Whether to serialize: the attempt has succeeded so far, and a serializer waits for its response.
  func mustSerialize(_ result: AttemptResult) -> Bool {
    !result.isFinal && !mayBeRetried(result) && execution.state.withLock { !$0.retriableSerializers.isEmpty }
  }

  /// Runs the serializers that awaiting tasks and handlers have added, up to the first that fails.
  ///
  /// They run one after another in the pipeline, which is off the caller's actor, without a timeout of the attempt. The
  /// serializers that do not run here, because an earlier one failed, run after the request.
  mutating func serialize(_ result: inout AttemptResult) { serialize(result.outcome, loadFailure: nil, &result) }

  /// Runs the serializers with the content that the handler loads, after the handler has checked the response.
  ///
  /// A response that the handler refuses ends the request.
  mutating func serialize(_ result: inout AttemptResult, loadedBy handler: any ResponseHandler) async {
    guard let response = result.outcome.response else { return }
    if let refusal = await execution.refusal(of: response, by: handler) {
      result.outcome.error = refusal
      result.isFinal = true
      return
    }
    let (loaded, failure) = await execution.loaded(result.outcome)
    serialize(loaded, loadFailure: failure, &result)
  }

  private mutating func serialize(
    _ outcome: RequestOutcome, loadFailure: LupineError?, _ result: inout AttemptResult
  ) {
    for serializer in execution.state.withLock({ $0.retriableSerializers }) {
      let failure = serializer.serialize(outcome, loadFailure: loadFailure, of: execution)
      // The request may be cancelled or time out while a serializer runs.
      if let ended = execution.cancellation {
        result = failed(ended, result.request)
        return
      }
      guard let failure else { continue }
      serializationFailure = failure
      return
    }
  }
}
