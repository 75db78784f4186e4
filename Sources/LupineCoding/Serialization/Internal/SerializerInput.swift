import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSupport

/// What every serializer does first: the rules for empty bodies, then the preprocessor.
struct SerializerInput: Sendable {
  private struct Values {
    var preprocessor: (any DataPreprocessor)?
    var rules: EmptyResponseRules?
  }

  /// Behind one pointer, so that a serializer fits into an existential.
  private var storage: CopyOnWrite<Values>

  /// - Parameter rules: `nil` for the defaults, which are made when they are needed: a program that starts pays for each
  ///   kind of set that it makes.
  init(preprocessor: (any DataPreprocessor)? = nil, rules: EmptyResponseRules? = nil) {
    storage = CopyOnWrite(Values(preprocessor: preprocessor, rules: rules))
  }

  /// What every public serializer is made with.
  init(_ preprocessor: any DataPreprocessor, _ emptyCodes: Set<Int>, _ emptyMethods: Set<HTTPRequest.Method>) {
    self.init(preprocessor: preprocessor, rules: EmptyResponseRules(codes: emptyCodes, methods: emptyMethods))
  }

  private var rules: EmptyResponseRules { storage.value.rules ?? EmptyResponseRules() }

  /// The same, with what a request says itself of what may be empty; `nil` where it says nothing.
  func allowing(_ codes: Set<Int>?, _ methods: Set<HTTPRequest.Method>?) -> SerializerInput {
    if codes == nil, methods == nil { return self }
    let rules = rules
    return SerializerInput(
      preprocessor: storage.value.preprocessor,
      rules: EmptyResponseRules(codes: codes ?? rules.codes, methods: methods ?? rules.methods))
  }

  /// The bytes to serialize; `nil` where there are none and need not be.
  func bytes(of response: ReceivedResponse) throws(LupineError) -> Data? {
    if response.hasData { return try preprocess(response.data) }
    if rules.allow(response) { return nil }
    let status = response.statusCode
    throw LupineError(
      .emptyResponse,
      "The response to \(response.request.method.rawValue) has status \(status) and no body, where a value was to be "
        + "made of it. If that is right, add \(status) to `emptyResponseCodes`.")
  }

  /// The bytes after the preprocessor.
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
