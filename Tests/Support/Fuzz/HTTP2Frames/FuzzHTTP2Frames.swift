import FuzzDriver
import FuzzRunner
import Glibc
import HTTPTypes
import LupineCore
import LupineFraming

@testable import LupineNative

/// How the client behaves in a reading of the server's bytes.
struct FuzzPlan {
  /// Whether each request releases its stream when its response has ended, as an exchange does.
  let releases: Bool
  /// Whether each request releases its stream at the head of its response.
  let releasesAtHead: Bool
  /// Whether the requests take the content that arrives.
  let takesContent: Bool
  /// Whether the client sends its frames after each piece, and not only at the end.
  ///
  /// A frame of the server can be valid before a frame of the client and invalid after it. So the results of different
  /// divisions are then not compared.
  let answersAtOnce: Bool
}

/// How the server's bytes are divided into pieces.
private enum Cut {
  /// All bytes at once, or each byte alone.
  case whole, bytes
  /// Pieces of one size.
  case every(Int)
  /// Pieces of 1 to 64 bytes; the number is the seed of their sizes.
  case mixed(UInt32)

  func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var (pieces, start): ([ArraySlice<UInt8>], Int) = ([], 0)
    var state = UInt32(1)
    if case .mixed(let seed) = self { state += seed }
    while start < bytes.count {
      state = state &* 1_664_525 &+ 1_013_904_223
      let size =
        switch self {
        case .whole: bytes.count
        case .bytes: 1
        case .every(let size): size
        case .mixed: Int(state >> 26) + 1
        }
      let end = min(start + size, bytes.count)
      pieces.append(bytes[start..<end])
      start = end
    }
    return pieces
  }
}

/// The requests of a connection after the server's bytes have arrived in pieces and the connection has ended.
private struct Reading {
  let requests: [FuzzedRequest]

  init(_ bytes: [UInt8], _ cut: Cut, _ plan: FuzzPlan) throws(LupineError) {
    let start = allocatedByteCount()
    let session = try HTTP2Session(HeadCache())
    requests = FuzzedRequest.Kind.allCases.map { FuzzedRequest($0, session, plan) }
    for request in requests { try request.begin() }
    var output: [UInt8] = []
    session.composeOutput(into: &output, limit: .max)
    var sentCount = output.count
    for piece in cut.pieces(of: bytes) {
      var rest = piece[...]
      while !rest.isEmpty { rest = rest.dropFirst(rest.withUnsafeBytes { session.receive($0, at: 0) }) }
      guard plan.answersAtOnce else { continue }
      output.removeAll(keepingCapacity: true)
      session.composeOutput(into: &output, limit: .max)
      sentCount += output.count
    }
    let stored = allocatedByteCount() - start
    precondition(stored < 512 << 10 + 32 * bytes.count, "\(bytes.count) bytes make the session store \(stored).")
    output.removeAll()
    session.composeOutput(into: &output, limit: .max)
    sentCount += output.count
    precondition(sentCount < 256 << 10 + 4 * bytes.count, "\(bytes.count) bytes make the client send \(sentCount).")
    session.fail(HTTP2Failure.lost)
    precondition(session.streams.isEmpty, "A stream is open after the end.")
  }
}

/// Checks the client's side of a connection of HTTP/2 with any bytes of a server.
///
/// Each request ends once; its response is whole if and only if the frames of its stream say so; the results are the same
/// for every division of the bytes; and few bytes do not make the session store or send many.
///
/// The first byte determines the plan, the second byte the cuts. The rest are the server's bytes, or a `FrameText`.
@main
struct FuzzHTTP2Frames {
  static func main() {
    exit(runFuzzer(testHTTP2Frames))
  }
}

private func check(_ input: [UInt8]) throws(LupineError) {
  guard input.count > 2 else { return }
  let rest = Array(input[2...])
  let bytes = input[0] & 1 == 0 ? rest : FrameText.bytes(of: rest)
  let plan = FuzzPlan(
    releases: input[0] & 2 != 0, releasesAtHead: input[0] & 4 != 0, takesContent: input[0] & 8 == 0,
    answersAtOnce: input[0] & 16 != 0)
  let scan = StreamScan(bytes)
  let whole = try Reading(bytes, .whole, plan)
  for request in whole.requests { request.check(against: scan) }
  for cut in [.every(Int(input[1] % 64) + 1), .mixed(UInt32(input[1])), Cut.bytes] {
    let other = try Reading(bytes, cut, plan)
    for request in other.requests { request.check(against: scan) }
    if plan.answersAtOnce { continue }
    for (one, two) in zip(whole.requests, other.requests) { one.check(isLike: two) }
  }
}

private func testHTTP2Frames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(LupineError) {
    try check(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    preconditionFailure("\(error)")
  }
  return 0
}
