// A request whose decoded value is awaited.

import Lupine
// snippet.hide
import SnippetSupport

try Stage.set()
// snippet.show

struct Echo: Decodable, Sendable {
  var args: [String: String]
}

let echo = try await Lupine.request("https://httpbin.org/get", parameters: ["foo": "bar"])
  .validate().serializingDecodable(Echo.self).value
// snippet.hide
print(echo)
