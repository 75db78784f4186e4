import FoundationEssentials
import HTTPTypes

/// What every serializer does first: the rules for empty bodies, then the preprocessor.
struct SerializerInput: Sendable {
  private struct Values {
    var preprocessor: any DataPreprocessor
    var rules: EmptyResponseRules?
  }

  /// Behind one pointer, so that a serializer fits into an existential.
  private var storage: CopyOnWrite<Values>

  /// - Parameter rules: `nil` for the defaults, which are made when they are needed: a program that starts pays for each
  ///   kind of set that it makes.
  init(preprocessor: any DataPreprocessor = .passthrough, rules: EmptyResponseRules? = nil) {
    storage = CopyOnWrite(Values(preprocessor: preprocessor, rules: rules))
  }

  /// What every public serializer is made with.
  init(_ preprocessor: any DataPreprocessor, _ emptyCodes: Set<Int>, _ emptyMethods: Set<HTTPRequest.Method>) {
    self.init(preprocessor: preprocessor, rules: EmptyResponseRules(codes: emptyCodes, methods: emptyMethods))
  }

  var preprocessor: any DataPreprocessor {
    get { storage.value.preprocessor }
    set { storage.value.preprocessor = newValue }
  }

  var rules: EmptyResponseRules {
    get { storage.value.rules ?? EmptyResponseRules() }
    set { storage.value.rules = newValue }
  }

  /// The same, with what a request says itself of what may be empty; `nil` where it says nothing.
  func allowing(_ codes: Set<Int>?, _ methods: Set<HTTPRequest.Method>?) -> SerializerInput {
    if codes == nil, methods == nil { return self }
    let rules = rules
    var input = self
    input.rules = EmptyResponseRules(codes: codes ?? rules.codes, methods: methods ?? rules.methods)
    return input
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

  private func preprocess(_ data: Data) throws(LupineError) -> Data {
    do {
      return try storage.value.preprocessor.preprocess(data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.serializationFailed, "The preprocessor failed: \(error).", underlying: error)
    }
  }
}
