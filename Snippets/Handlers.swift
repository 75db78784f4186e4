// Response handlers, called in order and not on the caller's thread.

import Lupine
// snippet.hide
import SnippetSupport

struct Echo: Decodable, Sendable {
  var json: JSONValue?
}

try Stage.set()
// snippet.show

Lupine.request(
  "https://httpbin.org/post", method: .post,
  parameters: ["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]], encoder: .json
)
.validate(statusCode: 200..<300).validate(contentType: ["application/json"])
.responseString { print($0.value ?? "") }
.responseDecodable(of: Echo.self) { response in
  switch response.result {
  case .success(let echo): print(echo)
  case .failure(let error): print(error)
  }
}
await Session.default.finishRequests()
