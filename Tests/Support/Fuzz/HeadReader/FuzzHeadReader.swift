import FuzzRunner
import Glibc
import HTTPTypes
import LupineCore
import LupineFraming

/// Checks that a head reads the same whatever heads a cache holds.
///
/// The input is split into lines, as libcurl splits it.
@main
struct FuzzHeadReader {
  static func main() {
    exit(runFuzzer(testHeadReader))
  }
}

/// The heads and the trailers of an input, or the error.
private func read(_ lines: [[UInt8]], _ cache: HeadCache, matching: Bool) -> [String] {
  // Limits that a short input can exceed.
  var limits = Limits()
  limits.responseFields = 256
  limits.responseFieldCount = 8
  limits.informationalResponses = 2
  limits.trailers = 64
  var reader = HeadReader(limits, cache)
  var found: [String] = []
  for line in lines {
    let head = line.withUnsafeBytes { line in
      Result { () throws(LupineError) -> HeadReader.Head? in
        if matching, reader.matchesCachedHead(line) { return nil }
        return try reader.process(line)
      }
    }
    switch head {
    case .success(nil): break
    case .success(.interim(let head)?): found.append(text(head))
    case .success(.final(let head)?):
      found.append("\(text(head.response)) \(head.framing(to: .get)) \(head.isPersistent)")
    case .failure(let error): return found + ["\(error.kind): \(error.message)"]
    }
  }
  return found + (reader.trailers ?? [:]).map { "\($0.name.canonicalName)=\($0.value)" }
}

private func text(_ head: HTTPResponse) -> String {
  "\(head.status) " + head.headerFields.map { "\($0.name.canonicalName)=\($0.value)" }.joined(separator: "|")
}

private func lines(_ bytes: [UInt8]) -> [[UInt8]] {
  var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
  lines.removeLast()
  return lines
}

private func check(_ bytes: [UInt8]) {
  let lines = lines(bytes)
  let whole = read(lines, HeadCache(), matching: false)
  let cache = HeadCache()
  for _ in 0..<3 {
    let cached = read(lines, cache, matching: true)
    precondition(cached == whole, "A cached head reads differently: \(whole) and \(cached)")
  }
  // The cache has the heads of the whole input, and the last line is missing or empty.
  let shorter = lines.dropLast() + [[0x0D, 0x0A]]
  precondition(
    read(Array(shorter), cache, matching: true) == read(Array(shorter), HeadCache(), matching: false),
    "A head that begins like a cached one reads differently.")
}

private func testHeadReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
