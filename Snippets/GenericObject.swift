// A serializer that removes the envelope around every value of a server.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/users/42", .text(#"{"data": {"name": "mattt"}}"#))
mock.stub(.get, "https://api.example.com/users/43", .text(#"{"error": {"code": 17, "message": "no such user"}}"#))
let session = try Session.Builder().transport(mock).build()
// snippet.show

/// The envelope of a response: a value, or the server's own error.
struct Envelope<Value: Decodable & Sendable>: Decodable, Sendable {
  var data: Value?
  var error: APIError?
}

struct APIError: Error, Decodable, Equatable {
  var code: Int
  var message: String
}

/// Returns the value in the envelope, or throws the server's error.
struct ObjectSerializer<Value: Decodable & Sendable>: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Value {
    let envelope = try DecodableResponseSerializer(of: Envelope<Value>.self).serialize(response)
    if let value = envelope.data { return value }
    throw envelope.error ?? APIError(code: 0, message: "neither a value nor an error")
  }
}

extension DataRequest {
  func serializingObject<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) -> DataTask<Value> {
    serializingResponse(using: ObjectSerializer<Value>())
  }
}

struct User: Decodable, Sendable {
  var name: String
}

let user = try await session.request("https://api.example.com/users/42").serializingObject(User.self).value
print(user.name)

let missing = await session.request("https://api.example.com/users/43").serializingObject(User.self).response
if let error = missing.error?.underlying as? APIError { print(error.code, error.message) }
// snippet.hide
try mock.verify()
