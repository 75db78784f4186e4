// The default session: an upload, a download and a stream without a session of your own.

import Lupine
// snippet.hide
import FoundationEssentials
import LupineMock

let mock = MockTransport()
mock.stub(.post, "https://example.com/notes", .text("thank you"))
mock.stub(.get, "https://example.com/notes.txt", .text("a note"))
mock.stub(.get, "https://example.com/events", .text("one\ntwo\n"))
try Session.Builder().transport(mock).build().useAsDefault()
// snippet.show

let receipt = try await Lupine.upload(.text("a note"), to: "https://example.com/notes").serializingString().value
let file = try await Lupine.download("https://example.com/notes.txt", to: .temporary).serializingFile().value
for try await line in Lupine.streamRequest("https://example.com/events").serializingLines() { print(line) }
// snippet.hide
print(receipt)
try FileManager.default.removeItem(at: file)
try mock.verify()
