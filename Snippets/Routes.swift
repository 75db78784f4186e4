// Routes: a program's requests as an enumeration.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://example.com/search", .text("found"))
let session = try Session.Builder().transport(mock).build()
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
// snippet.hide
print(found, mock.requests.map(\.url.requestTarget))
