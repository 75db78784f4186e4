import FoundationEssentials

/// The built-in serializers as a session sets them up.
struct SessionSerializers: Sendable {
  var decoder: any DataDecoder = JSONDecoder()
  var input = SerializerInput()

  var data: DataResponseSerializer { DataResponseSerializer(input: input) }
  var json: JSONResponseSerializer { JSONResponseSerializer(input: input) }
  var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer(input: input) }

  func string(_ encoding: TextEncoding?) -> StringResponseSerializer {
    StringResponseSerializer(encoding: encoding, input: input)
  }

  func decodable<Value>(_ type: Value.Type, _ decoder: (any DataDecoder)?) -> DecodableResponseSerializer<Value> {
    DecodableResponseSerializer(decoder: decoder ?? self.decoder, input: input)
  }
}
