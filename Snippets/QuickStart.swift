// The quick start: requests against a real httpbin, then the same code offline.
// `make demo` runs it.

import Lupine
import LupineMock
import SnippetSupport

struct Echo: Codable, Sendable {
  var url: String
  var args: [String: String]?
  var json: JSONValue?
}

struct User: Codable, Sendable, Equatable {
  var name: String
}

print("== httpbin at \(Stage.httpbin ?? "home: LUPINE_HTTPBIN is not set, so the mock answers")")
let httpbin = try Stage.builder().baseURL("https://httpbin.org").build()

print("-- a value, awaited")
let echo = try await httpbin.request("get", parameters: ["foo": "bar"])
  .validate().serializingDecodable(Echo.self).value
print(echo)

print("-- handlers, in order")
let posting = httpbin.request(
  "post", method: .post, parameters: ["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]], encoder: .json
)
.validate(statusCode: 200..<300).validate(contentType: ["application/json"])
.responseString { print("as text: \($0.value?.count ?? 0) characters") }
.responseDecodable(of: Echo.self) { print("as a value: \($0.value?.json ?? .null)") }
let posted = await posting.serializingData().response
print(posting)
print(posted.metrics.map { "\($0)" } ?? "no metrics")

print("-- a session, assembled")
let session = try Stage.builder()
  .baseURL("https://httpbin.org")
  .header(.userAgent, "demo/1.0")
  .timeouts(connect: .seconds(5), idle: .seconds(30), total: .seconds(120))
  .retrier(.backoff(limit: 3))
  .build()
let status = await session.request("get", parameters: ["page": 1]).validate().serializingData().response
print(status)

print("== offline, on the mock")
let mock = MockTransport()
mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
let offline = try Session.Builder().transport(mock).baseURL("https://api.example.com/v1").build()
print(try await offline.request("users/42").validate().serializingDecodable(User.self).value)
try mock.verify()
print("every stub was used, and nothing else was asked")
