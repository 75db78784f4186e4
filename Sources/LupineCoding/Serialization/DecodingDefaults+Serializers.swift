import FoundationEssentials
package import HTTPTypes
package import LupineCore

/// The built-in serializers as a session sets them up.
extension DecodingDefaults {
  private var input: SerializerInput { SerializerInput(preprocessor: preprocessor, rules: emptyResponseRules) }

  package var data: DataResponseSerializer { DataResponseSerializer(input: input) }
  package var json: JSONResponseSerializer { JSONResponseSerializer(input: input) }
  package var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer(input: input) }

  package func string(_ encoding: TextEncoding?) -> StringResponseSerializer {
    StringResponseSerializer(encoding: encoding, input: input)
  }

  /// - Parameter codes, methods: what may be empty; `nil` for what the session says.
  package func decodable<Value>(
    _ type: Value.Type, _ decoder: (any DataDecoder)?, _ codes: Set<Int>?, _ methods: Set<HTTPRequest.Method>?
  ) -> DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(decoder: decoder ?? self.decoder, input: input.allowing(codes, methods))
  }

  /// The same with a service's own error, which the same decoder reads.
  package func decodable<Value, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type, _ failure: Failure.Type, _ decoder: (any DataDecoder)?, _ codes: Set<Int>?,
    _ methods: Set<HTTPRequest.Method>?
  ) -> ServiceErrorSerializer<DecodableResponseSerializer<Value>> {
    ServiceErrorSerializer(
      base: decodable(type, decoder, codes, methods), reader: failures(failure, decoder))
  }

  /// What reads a service's own error.
  package func failures<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, _ decoder: (any DataDecoder)?
  ) -> ServiceErrorReader {
    ServiceErrorReader(type, decoder: decoder ?? self.decoder, input: input)
  }
}
