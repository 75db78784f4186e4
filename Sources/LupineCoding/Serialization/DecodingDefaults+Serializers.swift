import FoundationEssentials
package import HTTPTypes
package import LupineCore

/// The built-in serializers with the session's settings.
extension DecodingDefaults {
  private var input: SerializerInput { SerializerInput(preprocessor: preprocessor, rules: emptyResponseRules) }

  package var data: DataResponseSerializer { DataResponseSerializer(input: input) }
  package var json: JSONResponseSerializer { JSONResponseSerializer(input: input) }
  package var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer(input: input) }

  package func string(_ encoding: TextEncoding?) -> StringResponseSerializer {
    StringResponseSerializer(encoding: encoding, input: input)
  }

  /// - Parameter codes, methods: the conditions for an empty body; `nil` means the session's.
  package func decodable<Value>(
    _ type: Value.Type, _ decoder: (any DataDecoder)?, _ codes: Set<Int>?, _ methods: Set<HTTPRequest.Method>?
  ) -> DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(decoder: decoder ?? self.decoder, input: input.allowing(codes, methods))
  }

  /// Returns the serializer that also decodes a service error, with the same decoder.
  package func decodable<Value, Failure: Error & Decodable & Sendable>(
    _ type: Value.Type, _ failure: Failure.Type, _ decoder: (any DataDecoder)?, _ codes: Set<Int>?,
    _ methods: Set<HTTPRequest.Method>?
  ) -> ServiceErrorSerializer<DecodableResponseSerializer<Value>> {
    ServiceErrorSerializer(
      base: decodable(type, decoder, codes, methods), reader: failures(failure, decoder))
  }

  /// Returns the reader of service errors.
  package func failures<Failure: Error & Decodable & Sendable>(
    _ type: Failure.Type, _ decoder: (any DataDecoder)?
  ) -> ServiceErrorReader {
    ServiceErrorReader(type, decoder: decoder ?? self.decoder, input: input)
  }
}
