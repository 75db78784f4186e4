// The rules by which a transport for HTTP/1.1 finds the end of a response's body.

import HTTPTypes
import LupineCore
import LupineFraming

let head = HTTPResponse(status: .ok, headerFields: [.transferEncoding: "chunked"])
let framing = try ResponseFraming(of: head, to: .get)

var reader = ChunkReader(Limits())
var content: [UInt8] = []
for piece in ["5\r\nhe", "llo\r\n0\r\n", "\r\n"].map({ Array($0.utf8) }) {
  var position = 0
  try piece.withUnsafeBytes { bytes in
    while let element = try reader.next(in: bytes, from: &position) {
      if case .content(let range) = element { content += bytes[range] }
    }
  }
  if position < piece.count { print("Bytes follow the body; its connection must be closed.") }
}
guard reader.isFinished else { throw LupineError(.connectionLost, "The connection ended within the body.") }

print("\(framing): \(String(decoding: content, as: UTF8.self))")
// snippet.hide
guard framing == .chunked, content == Array("hello".utf8) else { fatalError("\(framing): \(content)") }
