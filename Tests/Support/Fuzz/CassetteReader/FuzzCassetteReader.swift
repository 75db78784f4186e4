import FuzzRunner
import Glibc
import LupineCore
import LupineRecording

/// The result of reading an input, to be compared with another reading of the same input.
private struct Reading: Equatable {
  var blocks: [CassetteBlock.Content] = []
  var texts: [[UInt8]] = []
  var failure: String?

  /// Reads the bytes in pieces of `size` bytes.
  init(_ bytes: [UInt8], size: Int) {
    do throws(LupineError) {
      var reader = CassetteReader(path: "fuzz")
      var rest = bytes[...]
      while !rest.isEmpty {
        for block in try reader.read(rest.prefix(size)) { take(block) }
        rest = rest.dropFirst(size)
      }
      if let block = try reader.finish() { take(block) }
    } catch {
      // The blocks before the fault depend on the division: those of the last piece are not returned.
      blocks = []
      texts = []
      failure = error.message
    }
  }

  private mutating func take(_ block: CassetteBlock) {
    blocks.append(block.content)
    texts.append(block.bytes)
  }
}

/// Checks that the reader finds the same blocks for every division of its input, that a block is written and read again
/// as the same value, and that an archive of HAR that can be read can be exported and read again.
///
/// The first byte determines the size of the pieces. The rest of the input is the file.
@main
struct FuzzCassetteReader {
  static func main() {
    exit(runFuzzer(testCassetteReader))
  }
}

private func check(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let content = Array(bytes.dropFirst())
  let whole = Reading(content, size: max(content.count, 1))
  let cut = Reading(content, size: Int(first % 32) + 1)
  precondition(whole == cut, "The reader finds something else when its input is cut: \(whole) and \(cut)")
  for block in whole.blocks {
    let text =
      switch block {
      case .header(let header): CassetteWriter.text(of: header)
      case .entry(let entry): CassetteWriter.text(of: entry)
      }
    let again = Reading(text, size: text.count)
    precondition(again.blocks == [block], "The block is read as another one when it is written: \(block), \(again)")
    precondition(again.texts == [text], "The text of a block is not the one that was read.")
  }
  checkArchive(content)
}

private func checkArchive(_ content: [UInt8]) {
  guard let cassette = try? Cassette(har: content) else { return }
  guard let again = try? Cassette(har: cassette.har()) else {
    preconditionFailure("The export of an archive cannot be read: \(cassette)")
  }
  precondition(again.entries == cassette.entries, "The export of an archive has other exchanges: \(again), \(cassette)")
}

private func testCassetteReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
