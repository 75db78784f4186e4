public import FoundationEssentials

/// Makes a value of any `Decodable` type from bytes: `JSONDecoder`, `PropertyListDecoder`, or one of another format.
///
/// It may be called from several threads at once.
public protocol DataDecoder: Sendable {
  /// Decodes one value that takes up all of the bytes.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
