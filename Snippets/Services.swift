// A program's own code that uses the default session, and its test on a mock.

import Lupine
import LupineMock

struct User: Codable, Sendable {
  var name: String
}

/// The program's own code: it uses the default session, unless it is given another one.
struct UserService: Sendable {
  var session = Session.default

  func user(_ id: Int) async throws(LupineError) -> User {
    try await session.request("https://api.example.com/users/{id}", path: ["id": id])
      .validate().serializingDecodable().value
  }
}

let mock = MockTransport()
mock.stub(.get, "/users/42", .json(User(name: "mattt")))
mock.stub(.get, "/users/7", .json(["message": "no user has this number"], status: .notFound))

let service = UserService(session: try Session.Builder().transport(mock).build())
let mattt = try await service.user(42)
do {
  _ = try await service.user(7)
} catch {
  print(error.kind)  // unacceptableStatusCode(404)
}
// snippet.hide
print(mattt)
try mock.verify()
