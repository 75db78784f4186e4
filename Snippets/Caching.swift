// Caching: off by default; a session stores responses if the builder installs a cache.

import Lupine
import LupineMock

// snippet.hide
struct User: Decodable, Sendable {
  var name: String
}

let mock = MockTransport()
mock.stub(
  .get, "https://api.example.com/users",
  .text(#"[{"name":"mattt"}]"#, contentType: "application/json").field(.cacheControl, "max-age=42"))
mock.stub(.get, "https://api.example.com/news", .text("news"))
// snippet.show
let cache = HTTPCache(memory: .megabytes(32))
let session = try Session.Builder()
  // snippet.hide
  .transport(mock)
  // snippet.show
  .standardDefaults()
  .baseURL("https://api.example.com")
  .install(.cache(cache))
  .build()
let users = await session.request("users").validate().serializingDecodable([User].self).response
print(users.cacheStatus?.description ?? "no cache")  // first fwd=uri-miss; stored, later hit; ttl=42

let checked = await session.request("users").cachePolicy(.validate).serializingString().response
let news = await session.request("news").cache(for: .seconds(60)).serializingString().response
let secret = await session.request("news").cacheResponse(using: .doNotCache).serializingString().response

try await cache.remove("https://api.example.com/users")
try await cache.removeAll { $0.url.host == "api.example.com" }
print(try await cache.entries.map(\.url), try await cache.size)

let imageCacher = ResponseCacher.modify { head, request in
  guard request.url.path.hasPrefix("/images/") else { return head }
  var head = head
  head.headerFields[.cacheControl] = "max-age=86400"
  return head
}
let other = try Session.Builder()
  // snippet.hide
  .transport(mock)
  // snippet.show
  .install(.cache(cache, cacher: imageCacher))
  .build()
// snippet.hide
print(checked.cacheStatus as Any, news.cacheStatus as Any, secret.cacheStatus as Any)
await session.shutdown()
await other.shutdown()
