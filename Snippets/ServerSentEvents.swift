// Server-Sent Events, values line by line, and bytes with a limit.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
let page = MockReply.text("id: 1\ndata: hello\n\n").field(.contentType, "text/event-stream")
mock.stub(.get, "https://api.example.com/events", .sequence([page, .status(.noContent)]))
mock.stub(.post, "https://api.example.com/chat", .text("data: Hello\n\n").field(.contentType, "text/event-stream"))
mock.stub(.get, "https://api.example.com/users", .text("{\"name\":\"mattt\"}\n"))
mock.stub(.get, "https://api.example.com/blob", .text("bytes"))
struct User: Decodable, Sendable { var name: String }
let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://api.example.com").build()
// snippet.show

for try await event in session.streamRequest("events").serializingEvents(retry: .seconds(5)) {
  print(event.id, event.event, event.data)  // reconnects with Last-Event-ID until the server answers 204
}
for try await user in session.streamRequest("users").serializingDecodableLines(of: User.self) { print(user.name) }

let blob = session.streamRequest("blob").validate()
for try await piece in blob.serializingBytes(limit: 1_000_000) { print(piece.count) }
print(await blob.trailers?.count ?? 0)

let archive = session.streamRequest("blob").validate().serializingBytes()
let size = try await archive.head.headerFields[.contentLength]
for try await piece in archive { print(piece.count, "of", size ?? "an unknown size") }
// snippet.hide
mock.stub(.get, "https://api.example.com/log", .text("one\ntwo\n"))
// snippet.show

session.streamRequest("log").validate().responseStreamLine { stream in
  switch stream.event {
  case .stream(let line): if line == "two" { stream.cancel() } else { print(line) }
  case .complete(let completion): print(completion.error?.kind ?? "the end")
  }
}
session.streamRequest("users").responseStreamDecodable(of: User.self) { print($0.value?.name ?? "no more users") }
await session.finishRequests()

let question = session.streamRequest("chat", method: .post, parameters: ["prompt": "Hello?"], encoder: .json)
for try await event in question.serializingEvents() { print(event.data) }  // ends when the server ends it
// snippet.hide
mock.stub(
  .post, "https://api.example.com/answers",
  .text("data: {\"text\":\"Hel\"}\n\ndata: {\"text\":\"lo\"}\n\ndata: [DONE]\n\n").field(
    .contentType, "text/event-stream"))
let request = session.streamRequest("answers", method: .post, parameters: ["prompt": "Hello?"], encoder: .json)
// snippet.show

struct Piece: Decodable, Sendable {
  var text: String
}

for try await piece in request.serializingEvents().decoded(as: Piece.self, until: "[DONE]") { print(piece.text) }
// snippet.hide
mock.stub(.get, "https://api.example.com/ticker", .text("data: 42\n\n"))
// snippet.show

let ticker = session.streamRequest("ticker").acceptingContentTypes(["text/plain"])
for try await event in ticker.serializingEvents(reconnects: false) { print(event.data) }
// snippet.hide
let wrong = MockReply.json(["message": "The prompt is empty."], status: .badRequest)
mock.stub(.post, "https://api.example.com/chat", priority: 1, wrong)
// snippet.show

struct ServiceError: Error, Decodable {
  var message: String
}

let answer = session.streamRequest("chat", method: .post, parameters: ["prompt": ""], encoder: .json)
do {
  for try await event in answer.serializingEvents(error: ServiceError.self) { print(event.data) }
} catch {
  print(error.serviceError(as: ServiceError.self)?.message ?? error.message)  // The prompt is empty.
}
