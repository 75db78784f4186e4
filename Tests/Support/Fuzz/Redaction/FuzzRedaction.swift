import Foundation
import FuzzRunner
import Glibc
import HTTPTypes
import LupineCore
import LupineRecording

/// Checks that a cassette whose secrets were replaced has no byte of a secret, and can be written and read again.
///
/// The first byte determines the type of the body, and the second one its pieces: of equal size, or two of which the first
/// one ends within the first secret. The rest of the input is the body; each byte below 8 in it, but for 0, stands for a
/// form of a secret that the request also sends in `Authorization`: plain, percent-coded, in base64, or escaped as in JSON.
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

/// The forms of the secret, by the bytes that stand for them.
private let forms: [UInt8: [UInt8]] = [
  1: secret,
  2: secret.flatMap { Array("%\(String($0, radix: 16))".utf8) },
  // Some bytes of it alone, in capital letters.
  3: secret.enumerated().flatMap { $0 % 3 == 1 ? Array("%\(String($1, radix: 16, uppercase: true))".utf8) : [$1] },
  4: base64(after: 0), 5: base64(after: 1), 6: base64(after: 2),
  7: secret.flatMap { Array("\\u00\(String($0, radix: 16))".utf8) },
]

/// The secret in base64, behind this number of other bytes.
private func base64(after count: Int) -> [UInt8] {
  Array(Data([UInt8](repeating: 0x78, count: count) + secret).base64EncodedString().utf8)
}

/// The characters of the secret in base64 that do not depend on the bytes around it.
private let cores = (0..<3).map { count in
  Array(base64(after: count).prefix((count + secret.count) * 8 / 6).dropFirst(count == 0 ? 0 : count + 1))
}

/// Returns the pieces of a body.
private func pieces(_ body: [UInt8], _ choice: UInt8) -> [Cassette.Chunk] {
  let start = body.indices.first { body[$0...].starts(with: secret) }
  let size = Int(choice % 32) + 1
  if choice >= 128, let start {
    let cut = start + size % secret.count
    return [cut, body.count - cut].map { Cassette.Chunk(after: .zero, count: $0) }
  }
  return stride(from: 0, to: body.count, by: size).map { start in
    Cassette.Chunk(after: .zero, count: min(size, body.count - start))
  }
}

/// Returns the exchange of an input.
private func entry(_ type: String, _ body: [UInt8], _ chunks: [Cassette.Chunk]) -> Cassette.Entry {
  let fields: HTTPFields = [.contentType: type]
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

/// Returns the text with its coded bytes decoded, each of which is a mark and this number of hexadecimal digits.
private func decoded(_ text: [UInt8], _ mark: String, _ digits: Int) -> [UInt8] {
  var (result, index) = ([UInt8](), 0)
  let mark = Array(mark.utf8)
  while index < text.count {
    let end = index + mark.count + digits
    if end <= text.count, text[index...].starts(with: mark),
      let code = UInt8(String(decoding: text[(index + mark.count)..<end], as: UTF8.self), radix: 16)
    {
      result.append(code)
      index = end
    } else {
      result.append(text[index])
      index += 1
    }
  }
  return result
}

/// Requires that a text has the secret in no form.
private func requireNone(_ text: [UInt8], _ place: String) {
  for (form, reading) in [
    ("plain", text), ("percent-coded", decoded(text, "%", 2)), ("escaped", decoded(text, "\\u00", 2)),
  ] {
    precondition(!contains(reading, secret), "A \(form) secret is left in \(place): \(text)")
  }
  for core in cores { precondition(!contains(text, core), "A secret in base64 is left in \(place): \(text)") }
}

private func check(_ input: [UInt8]) {
  guard input.count >= 2 else { return }
  let body = input.dropFirst(2).flatMap { forms[$0] ?? [$0] }
  let original = entry(types[Int(input[0]) % types.count], body, pieces(body, input[1]))
  let header = Cassette.Header(date: Date(timeIntervalSince1970: 0), capabilities: [])
  guard let redacted = try? Cassette(header: header, entries: [original]).redacted() else { return }
  for content in [redacted.entries[0].request.body, redacted.entries[0].response?.body ?? .none] {
    guard case .inline(let data) = content else { continue }
    requireNone([UInt8](data), "a body")
  }
  let text = CassetteWriter.text(of: redacted)
  requireNone(text, "the cassette")
  let again = try? CassetteContents(text, path: "fuzz").cassette
  precondition(again == redacted, "The cassette is read as another one: \(String(decoding: text, as: UTF8.self))")
}

private func testRedaction(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
