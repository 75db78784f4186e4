import LupineCore
import Testing

@testable import LupineNative

/// The result of a negotiation whose peer has sent some bytes.
struct Negotiating: Equatable {
  /// The bytes that the client sends after its first message.
  var output: [UInt8] = []
  /// `open`, `refused` or `incomplete`, with the status of a response.
  var outcome = ""
  var failure: LupineError.Kind?
  var message = ""
  var isTargetRefused = false

  /// Processes bytes in one piece, in two pieces with a cut at every position, and byte by byte, and returns the result,
  /// which must be the same each time.
  static func theSame(of bytes: [UInt8], _ negotiation: any ProxyNegotiation) throws -> Negotiating {
    let whole = Negotiating([bytes], negotiation)
    for place in 0...bytes.count {
      let pieces = [Array(bytes[..<place]), Array(bytes[place...])]
      try #require(Negotiating(pieces, negotiation) == whole, "cut at \(place)")
    }
    try #require(Negotiating(bytes.map { [$0] }, negotiation) == whole, "byte by byte")
    return whole
  }

  init(_ pieces: [[UInt8]], _ negotiation: any ProxyNegotiation) {
    var negotiation = negotiation
    do throws(LupineError) {
      for piece in pieces where !piece.isEmpty { try take(piece, &negotiation) }
    } catch {
      failure = error.kind
      message = error.message
      output = []
      outcome = ""
    }
    isTargetRefused = negotiation.isTargetRefused
  }

  private mutating func take(_ piece: [UInt8], _ negotiation: inout any ProxyNegotiation) throws(LupineError) {
    // The client does not read on after a refusal.
    if outcome.hasPrefix("refused") { return }
    let processed = piece.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try negotiation.process(bytes) }
    }
    let progress = try processed.get()
    output += progress.output
    switch progress.outcome {
    case .incomplete: outcome = "incomplete"
    case .open(let response): outcome = "open" + (response.map { " \($0.status.code)" } ?? "")
    case .refused(let response): outcome = "refused \(response.status.code) \(response.headerFields.count) fields"
    }
  }
}
