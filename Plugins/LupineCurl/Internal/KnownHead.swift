import HTTPTypes

/// A head that came twice in a row, by whose lines it is known again as they arrive.
///
/// It was accepted once, so that none of its lines has to be read again. It holds no cookie.
final class KnownHead {
  let status: StatusLine
  let response: HTTPResponse
  let framing: Framing
  /// All its lines in their order, with their ends; the last one is empty.
  let lines: [[UInt8]]
  /// Its length in bytes.
  let size: Int

  init(_ status: StatusLine, _ fields: [FieldLine], _ response: HTTPResponse, _ framing: Framing) {
    self.status = status
    self.response = response
    self.framing = framing
    lines = ([status.bytes] + fields.map(\.bytes) + [[]]).map { $0 + [0x0D, 0x0A] }
    size = lines.reduce(0) { $0 + $1.count }
  }

  var fieldCount: Int { lines.count - 2 }
}
