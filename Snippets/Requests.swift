// Requests: parameters, validation, values and errors.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/users", .json([User(name: "ada", tags: ["staff"])]))
mock.stub(.post, "https://api.example.com/users") { request in .json(try request.json(User.self), status: .created) }
mock.stub(.get, "https://api.example.com/report", .text("none today").field(.retryAfter, "60"))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
// snippet.show

struct User: Codable, Sendable {
  var name: String
  var tags: [String]
}

// GET /users?page=2&tags%5B%5D=admin&tags%5B%5D=staff
let users = try await session.request(
  "users", parameters: ["page": 2, "tags": ["admin", "staff"]], headers: [.accept: "application/json"]
)
.validate().serializingDecodable([User].self).value

// A value of your own, as JSON in the body.
let ada = try await session.request(
  "users", method: .post, parameters: User(name: "ada", tags: ["staff"]), encoder: .json
)
.validate(statusCode: [201]).serializingDecodable(User.self).value

// snippet.hide
print(users, ada, mock.requests.map(\.url.requestTarget))
// snippet.show

let report = try await session.request("report")
  .timeouts { $0.total = .seconds(5) }  // its other bounds are the session's
  .options { $0.priority = .high }
  .serializingString().value

// snippet.hide
print(report)
// snippet.show

struct Maintenance: Error {}

let response = await session.request("report")
  .validate()
  .validate { request, response, data in
    if response.headerFields[.retryAfter] != nil { throw Maintenance() }
  }
  .serializingString().response

switch response.result {
case .success(let text): print(text)
case .failure(let error):
  switch error.kind {
  case .unacceptableStatusCode(404): print("there is no report")
  case .validationFailed where error.underlying is Maintenance: print("the report comes later")
  case .timedOut, .connectionRefused, .connectionLost: print("the server is not there")
  default: print(error.message)
  }
}

// snippet.hide
try mock.verify()
