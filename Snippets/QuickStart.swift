// The quick start: the README's first requests, to a real httpbin over each transport, then the same code offline on the
// mock.
// `make demo` runs it.

import Lupine
import SnippetSupport

struct Echo: Codable, Sendable {
  var url: String
  var args: [String: String]?
  var json: JSONValue?
}

func run(at place: Place) async throws {
  print("-- a value, awaited")
  let httpbin = try Session.Builder().install(place).build()
  let echo = try await httpbin.request("https://httpbin.org/get", parameters: ["foo": "bar"])
    .validate().serializingDecodable(Echo.self).value
  print(echo)

  print("-- handlers, in order")
  let posting = httpbin.request(
    "https://httpbin.org/post", method: .post,
    parameters: ["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]], encoder: .json
  )
  .validate(statusCode: 200..<300).validate(contentType: ["application/json"])
  .responseString { print("as text: \($0.value?.count ?? 0) characters") }
  .responseDecodable(of: Echo.self) { response in
    switch response.result {
    case .success(let echo): print("as a value: \(echo.json ?? .null)")
    case .failure(let error): print(error)
    }
  }
  let posted = await posting.serializingData().response
  print(posting)
  print(posted.metrics)

  print("-- a session, assembled")
  let session = try Session.Builder()
    .baseURL("https://api.example.com/v1")
    .header(.userAgent, "demo/1.0")
    .timeouts(connect: .seconds(5), idle: .seconds(30), total: .seconds(120))
    .adapter(BearerToken("a-token"))
    .retrier(.backoff(limit: 3))
    .install(place)
    .build()
  let user = await session.request("users/42").validate().serializingDecodable(Echo.self).response
  print(user)
  print(try user.result.get())
}

if let httpbin = Stage.httpbin {
  print("== httpbin at \(httpbin), over the native transport, which is the default")
  try await run(at: Stage.online(httpbin, over: .native))
  print("== the same, over libcurl")
  try await run(at: Stage.online(httpbin, over: .curl))
} else {
  print("== no httpbin: LUPINE_HTTPBIN is not set (make demo starts one)")
}
print("== the same, offline on the mock")
try await run(at: Stage.offline)
