// A session, assembled.

import Lupine
// snippet.hide
import LupineTesting

struct User: Codable, Sendable {
  var name: String
}

let token = "a-token"
let server = try ScriptedServer(always: .json(#"{"name": "mattt"}"#))
// snippet.show

let session = try Session.Builder()
  .transport(.curl)
  .baseURL("https://api.example.com/v1")
  .header(.userAgent, "demo/1.0")
  .timeouts(connect: .seconds(5), idle: .seconds(30), total: .seconds(120))
  .adapter(BearerToken(token))
  .retrier(.backoff(limit: 3))
  // snippet.hide
  .adapter(OriginMap(["https://api.example.com": server.url]))
  // snippet.show
  .build()  // throws, naming every part that does not fit
let user = try await session.request("users/42").serializingDecodable(User.self).value
// snippet.hide
print(user)
