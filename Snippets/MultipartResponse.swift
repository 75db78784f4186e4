// Multipart: a response of several byte ranges, part by part as it arrives.

import FoundationEssentials
import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(
  .get, "https://example.com/big.bin",
  .data(
    Data(
      "--b\r\nContent-Range: bytes 0-4/20\r\n\r\nhello\r\n--b\r\nContent-Range: bytes 10-14/20\r\n\r\nworld\r\n--b--"
        .utf8), contentType: "multipart/byteranges; boundary=b"))
let session = try Session.Builder().transport(mock).build()
// snippet.show

let ranges = session.streamRequest("https://example.com/big.bin", headers: [.range: "bytes=0-4,10-14"])
for try await part in ranges.serializingMultipart() {
  print(part.headers)
  for try await bytes in part.body { print(bytes.count) }
}

// The same in memory, for a small response.
let parts = try await session.request("https://example.com/big.bin", headers: [.range: "bytes=0-4,10-14"])
  .serializingMultipart().value
print(parts.map(\.text))
