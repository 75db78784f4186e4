// Host names that are not ASCII, converted once when a URL is parsed.

import Lupine
import LupineIDN
import LupineMock

HostNames.use(.idna)
// snippet.hide
let mock = MockTransport()
mock.stub(.get, "https://xn--mller-kva.example/straße", .text("found"))
let session = try Session.Builder().transport(mock).build()
// snippet.show
let url = try HTTPURL("https://müller.example/straße")
print(try await session.request(url).validate().serializingString().value)
print(url.host)  // xn--mller-kva.example
print(url.displayHost)  // müller.example
