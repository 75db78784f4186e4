import FuzzRunner
import Glibc
import LupineCore
import LupineMultipart

/// The result of parsing an input, to be compared with another reading of the same input.
private struct Reading: Equatable {
  var parts: [Part] = []
  var failure: LupineError.Kind?

  struct Part: Equatable {
    var fields: [String]
    var content: [UInt8] = []
    var isComplete = false
  }

  /// Parses a multipart body with the boundary `b`, in chunks of `chunkSize` bytes.
  init(_ bytes: [UInt8], chunkSize: Int) {
    do throws(LupineError) {
      var parser = try MultipartParser(boundary: "b")
      var rest = bytes[...]
      while !rest.isEmpty {
        var chunk = rest.prefix(chunkSize)
        rest = rest.dropFirst(chunkSize)
        while let event = try parser.next(in: &chunk) { take(event) }
        precondition(chunk.isEmpty, "The parser left bytes of a chunk without an event or an error.")
      }
      try parser.finish()
    } catch {
      failure = error.kind
    }
  }

  private mutating func take(_ event: MultipartParser.Event) {
    switch event {
    case .partBegan(let fields): parts.append(Part(fields: fields.map { "\($0)" }))
    case .content(let bytes):
      precondition(!bytes.isEmpty, "The parser handed over no bytes as content.")
      parts[parts.count - 1].content += bytes
    case .partEnded: parts[parts.count - 1].isComplete = true
    case .ended: precondition(parts.allSatisfy(\.isComplete), "The multipart ended before a part did.")
    }
  }
}

/// Checks that the parser finds the same parts for every division of its input.
///
/// The first byte determines the size of the chunks. The rest of the input is the body.
@main
struct FuzzMultipartParser {
  static func main() {
    exit(runFuzzer(testMultipartParser))
  }
}

private func check(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let content = Array(bytes.dropFirst())
  let whole = Reading(content, chunkSize: max(content.count, 1))
  let cut = Reading(content, chunkSize: Int(first % 32) + 1)
  precondition(whole == cut, "The parser finds something else when its input is cut: \(whole) and \(cut)")
}
private func testMultipartParser(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
