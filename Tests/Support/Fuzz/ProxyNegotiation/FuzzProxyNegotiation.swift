import FuzzRunner
import Glibc
import HTTPTypes
import LupineCore
import LupineFraming

@testable import LupineNative

/// The result of a negotiation with a proxy, to be compared with another reading of the same bytes.
private struct Result: Equatable {
  var output: [UInt8] = []
  var outcome = "incomplete"
  var failure: String?

  /// Passes the bytes in pieces of `pieceSize` bytes, up to an error or a refusal.
  init(_ bytes: [UInt8], _ negotiation: any ProxyNegotiation, pieceSize: Int) {
    var negotiation = negotiation
    var start = 0
    do throws(LupineError) {
      while start < bytes.count, !outcome.hasPrefix("refused") {
        let end = min(start + pieceSize, bytes.count)
        try take(Array(bytes[start..<end]), &negotiation)
        start = end
      }
    } catch {
      self = Result()
      failure = "\(error.kind): \(error.message)"
      checkSecrets(error)
    }
  }

  private init() {}

  private mutating func take(_ piece: [UInt8], _ negotiation: inout any ProxyNegotiation) throws(LupineError) {
    let progress = try Self.process(piece, &negotiation)
    output += progress.output
    precondition(output.count < 1_024, "The client sends without end.")
    switch progress.outcome {
    case .incomplete: precondition(!outcome.hasPrefix("open"), "An open connection is incomplete again.")
    case .open(let response): outcome = "open \(response.map { "\($0.status)" } ?? "")"
    case .refused(let response):
      precondition(response.status.kind != .successful, "A success is a refusal.")
      outcome = "refused \(response.status)"
    }
  }

  private static func process(
    _ piece: [UInt8], _ negotiation: inout any ProxyNegotiation
  ) throws(LupineError) -> NegotiationProgress {
    var copy = negotiation
    defer { negotiation = copy }
    let processed = piece.withUnsafeBytes { bytes in
      Swift.Result { () throws(LupineError) in try copy.process(bytes) }
    }
    return try processed.get()
  }

  private func checkSecrets(_ error: LupineError) {
    precondition(!error.message.contains("geheim"), "An error contains the password.")
  }
}

/// The negotiations: SOCKS 5 with and without a name and a password, and CONNECT.
private func negotiation(_ number: UInt8) throws -> any ProxyNegotiation {
  // Limits that a short input can exceed.
  var limits = Limits()
  limits.responseFields = 256
  limits.responseFieldCount = 8
  limits.informationalResponses = 2
  let user = number % 2 == 0 ? "" : "ali:geheim@"
  guard number < 6 else {
    let origin = HTTPURL.Origin(scheme: .https, host: "example.com", port: 443)
    let proxy = try Proxy("http://\(user)proxy.example.com")
    return TunnelNegotiation(to: origin, authorization: nil, through: proxy, limits, HeadCache())
  }
  let targets: [SocksNegotiation.Target] =
    [.name("example.com")] + ["10.0.0.1", "::1"].compactMap { IPAddress($0) }.map { .address($0) }
  let proxy = try Proxy("socks5h://\(user)proxy.example.com")
  return try SocksNegotiation(to: targets[Int(number / 2)], port: 443, through: proxy)
}

/// Checks that a negotiation has the same result for every division of the proxy's bytes.
///
/// The first byte determines the negotiation and the size of the pieces. The rest of the input are the proxy's bytes.
@main
struct FuzzProxyNegotiation {
  static func main() {
    exit(runFuzzer(testProxyNegotiation))
  }
}

private func check(_ bytes: [UInt8]) throws {
  guard let first = bytes.first else { return }
  let answer = Array(bytes.dropFirst())
  let number = first % 8
  let whole = Result(answer, try negotiation(number), pieceSize: max(answer.count, 1))
  for size in [Int(first / 8) + 1, 1] {
    let cut = Result(answer, try negotiation(number), pieceSize: size)
    // A refusal ends the reading, so a reading in one piece sees it like every other.
    precondition(whole == cut, "The result differs when the input is cut: \(whole) and \(cut)")
  }
}

private func testProxyNegotiation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do { try check(Array(UnsafeBufferPointer(start: start, count: count))) } catch { preconditionFailure("\(error)") }
  return 0
}
