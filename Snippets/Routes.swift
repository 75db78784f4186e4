// Routes: a program's requests as an enumeration.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://example.com/search", .text("found"))
mock.stub(.get, "https://api.example.com/v1/users/42", .text("mattt"))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com/v1").build()
// snippet.show

enum Route: RequestConvertible {
  case search(query: String, page: Int)
  func asRequest() throws -> OutgoingRequest {
    switch self {
    case .search(let query, let page):
      try OutgoingRequest("https://example.com/search").encoding(["q": query, "offset": 50 * page])
    }
  }
}

let found = try await session.request(Route.search(query: "foo bar", page: 1)).serializingString().value
// ?offset=50&q=foo%20bar

/// A route relative to the session's base URL.
struct UserRoute: RequestConvertible {
  var id: Int

  func asRequest() throws -> OutgoingRequest { try asRequest(relativeTo: nil) }

  func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest {
    OutgoingRequest(url: try PathTemplate("users/{id}", ["id": id]).asURL(relativeTo: base))
  }
}

let user = try await session.request(UserRoute(id: 42)).serializingString().value
// snippet.hide
print(found, user, mock.requests.map(\.url.requestTarget))
