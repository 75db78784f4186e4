// A session, built from its parts.

import Lupine
// snippet.hide
import LupineMock
import SnippetSupport

struct User: Codable, Sendable {
  var name: String
}

let token = "a-token"
let place = try Stage.users()
// snippet.show

let session = try Session.Builder()
  .transport(.native)
  .install(.compression)
  .baseURL("https://api.example.com/v1")
  .header(.userAgent, "demo/1.0")
  .timeouts(connect: .seconds(5), idle: .seconds(30), total: .seconds(120))
  .trust([
    "api.example.com": .publicKeys([
      "sha256/ldsRpIRUhSt8ORl9hHcX5Hzo7jrH0XajSlc0z0ZZ2xE=", "sha256/twoI0mEhdC+NL8QwtIoLnMyxMJhTO90EiNVZ03fiepo=",
    ]), "*.example.com": .default,
  ])
  .adapter(BearerToken(token))
  .retrier(.backoff(limit: 3))
  // snippet.hide
  .install(place)
  // snippet.show
  .build()  // throws an error that names every unsuitable part
let user = try await session.request("users/42").serializingDecodable(User.self).value
// snippet.hide
print(user)
let mock = MockTransport()
mock.stub(.get, "https://api.example.com/v1/users/me", .json(User(name: "ada")))
mock.stub(.post, "https://notes.example.com/{id}", .text("thanks"))
// snippet.show

let common = Session.Builder().standardDefaults().header(.userAgent, "demo/1.0").retrier(.backoff(limit: 3))
  // snippet.hide
  .transport(mock)
// snippet.show

let api = try common.baseURL("https://api.example.com/v1").adapter(BearerToken(token))
  .timeouts(connect: .seconds(5), total: .seconds(30)).build()
let notes = try common.baseURL("https://notes.example.com").timeouts(idle: .seconds(300)).build()

let me = try await api.request("users/me").serializingDecodable(User.self).value
let answer = try await notes.upload(.text("a note"), to: "42").serializingString().value
// snippet.hide
print(me, answer)
try mock.verify()
