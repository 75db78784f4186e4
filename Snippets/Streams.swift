// A response as it arrives.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.get, "https://api.example.com/events", MockReply.status(.ok).chunked(["one\ntw", "o\nthree\n"]))
let session = try Session.Builder().transport(mock).baseURL("https://api.example.com").build()
// snippet.show

for try await line in session.streamRequest("events").serializingLines() { print(line) }
