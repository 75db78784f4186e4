// A reader of responses, for a transport for HTTP/1.1.

import HTTPTypes
import LupineCore
import LupineFraming

var reader = ResponseReader(to: .get, Limits(), HeadCache())
var content: [UInt8] = []
for piece in ["HTTP/1.1 200 OK\r\nContent-", "Length: 5\r\n\r\nhe", "llo"].map({ Array($0.utf8) }) {
  var position = 0
  try piece.withUnsafeBytes { bytes in
    while let event = try reader.next(in: bytes, from: &position) {
      switch event {
      case .interim(let head): print("Interim response: \(head.status)")
      case .head(let head, let framing): print("Response: \(head.response.status), \(framing)")
      case .content(let range): content += bytes[range]
      case .end(let trailers): print("\(content.count) bytes, \(trailers?.count ?? 0) trailers")
      }
    }
  }
  if position < piece.count { print("Bytes follow the response; its connection must be closed.") }
}

print(String(decoding: content, as: UTF8.self))
// snippet.hide
guard reader.isFinished, reader.keepsConnection, content == Array("hello".utf8) else { fatalError("\(content)") }
