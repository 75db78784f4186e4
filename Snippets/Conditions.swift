// Conditions of stubs, and the requests that a mock has recorded.

import Lupine
import LupineMock

struct User: Codable, Sendable {
  var name: String
}

let mock = MockTransport()
mock.stub(.get, "/users", where: [.query("page", "2"), .field(.accept)], .json([User(name: "ada")]))
mock.stub(.put, "/users/{id}", where: [.body(jsonPath: "name", "grace")], count: .once, .status(.noContent))

let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
let page = try await session.request("users", parameters: ["page": 2], headers: [.accept: "application/json"])
  .serializingDecodable([User].self).value
let change = await session.request("users/42", method: .put, parameters: User(name: "grace"), encoder: .json)
  .serializingData().response

if let sent = mock.requests.last {
  print(sent, sent.variables["id"] ?? "")  // PUT https://api.example.com/users/42 42
  print(sent.headers[.contentType] ?? "", try sent.json(User.self).name)  // application/json grace
}
// snippet.hide
print(page, change.response?.status as Any)
try mock.verify()
