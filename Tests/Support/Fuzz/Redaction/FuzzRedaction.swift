import Foundation
import FuzzRunner
import Glibc
import HTTPTypes
import LupineCore
import LupineRecording

/// Checks that a cassette whose secrets were replaced has no byte of a secret, and can be written and read again.
///
/// The first byte determines the type of the body, and the second one the size of its pieces. The rest of the input is the
/// body; each byte 1 in it stands for a secret that the request also sends in `Authorization`.
@main
struct FuzzRedaction {
  static func main() {
    exit(runFuzzer(testRedaction))
  }
}

private let secret = Array("Zq7Kf93LmX0aB4tv".utf8)

private let types = [
  "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/event-stream",
  "text/plain", "application/octet-stream",
]

/// Returns the exchange of an input.
private func entry(_ type: String, _ body: [UInt8], pieces size: Int) -> Cassette.Entry {
  let fields: HTTPFields = [.contentType: type]
  var chunks: [Cassette.Chunk] = []
  for start in stride(from: 0, to: body.count, by: size) {
    chunks.append(Cassette.Chunk(after: .zero, count: min(size, body.count - start)))
  }
  let content = body.isEmpty ? Cassette.Content.none : .inline(Data(body))
  var headers = fields
  headers[.authorization] = "Bearer " + String(decoding: secret, as: UTF8.self)
  return Cassette.Entry(
    request: Cassette.Request(method: .post, url: "https://example.com/", fields: headers, body: content),
    response: Cassette.Response(
      head: HTTPResponse(status: .ok, headerFields: fields), version: .http1_1, body: content, chunks: chunks))
}

private func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
  guard text.count >= part.count else { return false }
  return (0...(text.count - part.count)).contains {
    text[$0] == part[0] && text[$0..<($0 + part.count)].elementsEqual(part)
  }
}

private func check(_ input: [UInt8]) {
  guard input.count >= 2 else { return }
  let body = input.dropFirst(2).flatMap { $0 == 1 ? secret : [$0] }
  let original = entry(types[Int(input[0]) % types.count], body, pieces: Int(input[1] % 32) + 1)
  let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: [])
  guard let redacted = try? Cassette(header: header, entries: [original]).redacted() else { return }
  for content in [redacted.entries[0].request.body, redacted.entries[0].response?.body ?? .none] {
    guard case .inline(let data) = content else { continue }
    precondition(!contains([UInt8](data), secret), "A secret is left in the body \([UInt8](data)).")
  }
  let text = CassetteWriter.text(of: redacted)
  precondition(!contains(text, secret), "A secret is left: \(String(decoding: text, as: UTF8.self))")
  let again = try? CassetteContents(text, path: "fuzz").cassette
  precondition(again == redacted, "The cassette is read as another one: \(String(decoding: text, as: UTF8.self))")
}

private func testRedaction(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
