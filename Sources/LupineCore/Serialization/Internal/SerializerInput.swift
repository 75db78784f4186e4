import FoundationEssentials
import HTTPTypes

/// What every serializer does first: the rules for empty bodies, then the preprocessor.
struct SerializerInput: Sendable {
  var preprocessor: any DataPreprocessor = .passthrough
  var rules = EmptyResponseRules()

  /// The bytes to serialize; `nil` where there are none and need not be.
  func bytes(of response: ReceivedResponse) throws(LupineError) -> Data? {
    guard response.data.isEmpty else { return try preprocess(response.data) }
    if rules.allow(response) { return nil }
    let status = response.head.status.code
    throw LupineError(
      .emptyResponse,
      "The response to \(response.request.method.rawValue) has status \(status) and no body, where a value was to be "
        + "made of it. If that is right, add \(status) to the serializer's `emptyResponseCodes`.")
  }

  private func preprocess(_ data: Data) throws(LupineError) -> Data {
    do {
      return try preprocessor.preprocess(data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.serializationFailed, "The preprocessor failed: \(error).", underlying: error)
    }
  }
}
