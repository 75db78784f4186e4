import FoundationEssentials
import HTTPTypes

/// The built-in serializers as a session sets them up.
extension DecodingDefaults {
  private var input: SerializerInput { SerializerInput(preprocessor: preprocessor, rules: emptyResponseRules) }

  var data: DataResponseSerializer { DataResponseSerializer(input: input) }
  var json: JSONResponseSerializer { JSONResponseSerializer(input: input) }
  var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer(input: input) }

  func string(_ encoding: TextEncoding?) -> StringResponseSerializer {
    StringResponseSerializer(encoding: encoding, input: input)
  }

  /// - Parameter codes, methods: what may be empty; `nil` for what the session says.
  func decodable<Value>(
    _ type: Value.Type, _ decoder: (any DataDecoder)?, _ codes: Set<Int>?, _ methods: Set<HTTPRequest.Method>?
  ) -> DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(decoder: decoder ?? self.decoder, input: input.allowing(codes, methods))
  }

  /// The same with a service's own error, which the same decoder reads.
  func decodable<Value, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type, _ failure: Failure.Type, _ decoder: (any DataDecoder)?, _ codes: Set<Int>?,
    _ methods: Set<HTTPRequest.Method>?
  ) -> ServiceErrorSerializer<DecodableResponseSerializer<Value>> {
    ServiceErrorSerializer(
      base: decodable(type, decoder, codes, methods), reader: failures(failure, decoder))
  }

  /// What reads a service's own error.
  func failures<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, _ decoder: (any DataDecoder)?
  ) -> ServiceErrorReader {
    ServiceErrorReader(type, decoder: decoder ?? self.decoder, input: input)
  }
}
