import Foundation
import Testing

@testable import LupineCore
@testable import LupineCoding

private struct User: Codable, Sendable, Equatable {
  var name: String
  var age: Int
}

@Suite struct DecodableResponseSerializerTests {
  @Test func `JSON is decoded by default`() throws {
    let response = try received(#"{"name": "mattt", "age": 3}"#)
    #expect(try DecodableResponseSerializer(of: User.self).serialize(response) == User(name: "mattt", age: 3))
  }

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
  func `a property list is decoded by its decoder`(format: PropertyListDecoder.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let response = try received(try encoder.encode(User(name: "mattt", age: 3)))
    let serializer = DecodableResponseSerializer<User>(decoder: PropertyListDecoder())
    #expect(try serializer.serialize(response) == User(name: "mattt", age: 3))
  }

  @Test func `a decoder's settings hold`() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    struct Value: Decodable, Sendable { var userName: String }
    let serializer = DecodableResponseSerializer<Value>(decoder: decoder)
    #expect(try serializer.serialize(try received(#"{"user_name": "a"}"#)).userName == "a")
  }

  @Test(arguments: [
    (#"{"name": "a"}"#, "`age`"), (#"{"name": "a", "age": "b"}"#, "at `age`"), ("{", "User"), ("<html>", "User"),
    (#"{"name": "a", "age": 99999999999999999999}"#, "out of its type's range"),
    (#"{"name": "a", "age": 1.5}"#, "a fraction"),
  ])
  func `an error names what does not fit and keeps the decoder's error`(body: String, fragment: String) throws {
    let error = try failure(of: .decodable(of: User.self), try received(body))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.underlying is DecodingError)
    #expect(error?.message.contains(fragment) == true, "\(String(describing: error))")
  }

  @Test func `names from the server are escaped in the message`() throws {
    let error = try failure(of: .decodable(of: [String: Int].self), try received(#"{"\u001b[2J": "x"}"#))
    #expect(error?.message.contains("\u{1B}") == false)
    #expect(error?.message.contains(#"\u{1B}[2J"#) == true)
  }

  @Test func `a closure makes the value`() throws {
    let serializer = ClosureResponseSerializer { $0.data.count }
    #expect(try serializer.serialize(try received("abc")) == 3)
  }

  @Test func `Google's prefix is removed`() throws {
    let response = try received(")]}',\n[1]")
    #expect(try failure(of: .json, response)?.kind == .serializationFailed)
    #expect(try JSONResponseSerializer(preprocessor: .googleXSSI).serialize(response) == [1])
    #expect(try JSONResponseSerializer(preprocessor: .googleXSSI).serialize(try received("[1]")) == [1])
  }

  @Test func `a preprocessor that throws is an error of the serializer`() throws {
    struct Failing: DataPreprocessor {
      func preprocess(_ data: Data) throws -> Data { throw CancellationError() }
    }
    let error = try failure(of: DataResponseSerializer(preprocessor: Failing()), try received("x"))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.underlying is CancellationError)
  }
}
