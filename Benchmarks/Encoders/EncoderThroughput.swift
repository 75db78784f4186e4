import FoundationEssentials
import LupineSession
import Row

/// Measures how many megabytes each encoder produces per second of processor time: `encoder-throughput ROUNDS`.
@main enum EncoderThroughput {
  static func main() throws {
    guard let rounds = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else {
      throw WorkError("encoder-throughput ROUNDS")
    }
    let form = try Encoding.form()
    try report("multipart from memory", rounds) { try Encoding.read(form) }
    try reportJSON("JSON body of structures", rounds, Item.examples)
    try reportJSON("JSON body of Parameters", rounds, Item.parameters)
    try report("URL-encoded form", rounds) { try Encoding.body(of: ["items": Item.examples], .urlEncodedForm) }
  }

  private static func reportJSON(_ name: String, _ rounds: Int, _ value: some Encodable & Sendable) throws {
    try report(name, rounds, beside: { try JSONEncoder().encode(value).count }) { try Encoding.body(of: value, .json) }
  }

  /// Measures `encode` and `other` in turn, the same number of times.
  private static func report(
    _ name: String, _ rounds: Int, beside other: (() throws -> Int)? = nil, _ encode: () throws -> Int
  ) throws {
    var rates = Rates(name)
    for _ in 0..<rounds {
      rates.values.append(try rate(encode))
      if let other { rates.beside.append(try rate(other)) }
    }
    rates.report()
  }

  private static func rate(_ encode: () throws -> Int) throws -> Double {
    var bytes = 0
    let before = Cost.now
    for _ in 0..<20 { bytes += try encode() }
    return Double(bytes) / 1_000_000 / (Cost.now - before).processor
  }
}
