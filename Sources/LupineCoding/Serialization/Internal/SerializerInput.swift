import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The first step of every serializer: the rules for empty bodies, then the preprocessor.
struct SerializerInput: Sendable {
  private struct Values {
    var preprocessor: (any DataPreprocessor)?
    var rules: EmptyResponseRules?
  }

  /// Stored indirectly, so that a serializer fits into an existential without an allocation.
  private var storage: CopyOnWrite<Values>
  private static let defaults = CopyOnWrite(Values())

  /// - Parameter rules: `nil` means the defaults, which are created only when they are needed.
  init(preprocessor: (any DataPreprocessor)? = nil, rules: EmptyResponseRules? = nil) {
    let hasNoOverrides = preprocessor == nil && rules == nil
    storage = hasNoOverrides ? Self.defaults : CopyOnWrite(Values(preprocessor: preprocessor, rules: rules))
  }

  /// Creates the input of a public serializer.
  init(_ preprocessor: any DataPreprocessor, _ emptyCodes: Set<Int>, _ emptyMethods: Set<HTTPRequest.Method>) {
    self.init(preprocessor: preprocessor, rules: EmptyResponseRules(codes: emptyCodes, methods: emptyMethods))
  }

  private var rules: EmptyResponseRules { storage.value.rules ?? EmptyResponseRules() }

  /// Returns the input with a request's own conditions for an empty body; `nil` keeps the current ones.
  func allowing(_ codes: Set<Int>?, _ methods: Set<HTTPRequest.Method>?) -> SerializerInput {
    if codes == nil, methods == nil { return self }
    let rules = rules
    return SerializerInput(
      preprocessor: storage.value.preprocessor,
      rules: EmptyResponseRules(codes: codes ?? rules.codes, methods: methods ?? rules.methods))
  }

  /// Returns the bytes to serialize; `nil` if the body is empty and may be.
  func bytes(of response: ReceivedResponse) throws(LupineError) -> Data? {
    if response.hasData { return try preprocess(response.data) }
    if rules.allow(response) { return nil }
    let status = response.statusCode
    throw LupineError(
      .emptyResponse,
      "The response to \(response.request.method.rawValue) has status \(status) and no body, but the serializer needs "
        + "one. If an empty body is valid, add \(status) to `emptyResponseCodes`.")
  }

  /// Returns the bytes after the preprocessor.
  func preprocess(_ data: Data) throws(LupineError) -> Data {
    guard let preprocessor = storage.value.preprocessor else { return data }
    do {
      return try preprocessor.preprocess(data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.serializationFailed, "The preprocessor failed: \(error).", underlying: error)
    }
  }
}
