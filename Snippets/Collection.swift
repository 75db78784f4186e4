// A collection of objects in several pages; objects that do not decode are skipped.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(
  .get, "https://api.example.com/users?page=1",
  .text(#"{"items": [{"name": "mattt"}, {"nom": "?"}, {"name": "ada"}], "next": 2}"#))
mock.stub(.get, "https://api.example.com/users?page=2", .text(#"{"items": [{"name": "grace"}], "next": null}"#))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
// snippet.show

/// A page of objects; objects that do not decode are counted and skipped.
struct Page<Element: Decodable & Sendable>: Decodable, Sendable {
  var elements: [Element]
  var skipped: Int
  var next: Int?

  private enum CodingKeys: CodingKey { case items, next }

  private struct Attempt: Decodable {
    var element: Element?

    init(from decoder: any Decoder) throws { element = try? Element(from: decoder) }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let attempts = try container.decode([Attempt].self, forKey: .items)
    elements = attempts.compactMap(\.element)
    skipped = attempts.count - elements.count
    next = try container.decodeIfPresent(Int.self, forKey: .next)
  }
}

struct User: Decodable, Sendable {
  var name: String
}

var users: [User] = []
var number: Int? = 1
while let current = number {
  let page = try await session.request("users", parameters: ["page": .init(current)])
    .validate().serializingDecodable(Page<User>.self).value
  users += page.elements
  if page.skipped > 0 { print("page \(current): \(page.skipped) could not be read") }
  number = page.next
}
print(users.map(\.name))
// snippet.hide
try mock.verify()
