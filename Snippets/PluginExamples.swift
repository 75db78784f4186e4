// The examples in the documentation of the plugins' types, one function for each.

import Foundation
import Lupine
import LupineMock

// snippet.hide
struct User: Codable, Sendable {
  var name: String
}

func advanceClock(_ request: DataTask<String>) async throws {
  // snippet.show
  let clock = TestClock()
  async let value = request.value  // sleeps on the clock, for example before a retry
  await clock.waitForSleepers()  // waits for an event, does not poll
  clock.advance(by: .seconds(30))
  // snippet.hide
  print(try await value)
}

func stubUsers() throws {
  // snippet.show
  let mock = MockTransport()
  mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
  let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
  // snippet.hide
  print(session)
}

func stubFile(_ data: Data) {
  let mock = MockTransport()
  // snippet.show
  mock.stub([.get, .head], "/big.bin", .resource(data, etag: "v1"))
  // snippet.hide
}

func watchNetwork() async {
  // snippet.show
  for await status in NetworkReachabilityManager.default.statuses { print(status) }
  // snippet.hide
}

func sendForm() {
  // snippet.show
  var form = MultipartFormData()
  form.append(.file("/data/unicorn.png"), name: "unicorn")
  form.append("rainbow", name: "title")
  // snippet.hide
  print(form)
}

func readParts(_ session: Session) async throws {
  // snippet.show
  for try await part in session.streamRequest("ranges").serializingMultipart() {
    for try await bytes in part.body { print(bytes.count) }
  }
  // snippet.hide
}

try stubUsers()
stubFile(Data("content".utf8))
sendForm()
