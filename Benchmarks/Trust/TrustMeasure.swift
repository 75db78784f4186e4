import Foundation
import LupineCore
import LupineCurl
import LupineOpenSSL

/// Measures what pinning costs: `trust-measure [ROUNDS]`.
///
/// The processor's time of this process, kernel included, for requests to nginx on loopback: with libcurl's own
/// verification of chain and name, and with evaluators that pin, in turn within each round. nginx resumes no session, so
/// a fresh connection is a full handshake for all of them.
@main
struct TrustMeasure {
  static func main() async throws {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
    let server = try Server()
    print("\(rounds) rounds; each figure is the median of the rounds, each ratio the median of the rounds' ratios")
    try await measure("a fresh connection", rounds: rounds, requests: 200) { version, policy in
      try Candidate(version, server, path: "/fresh", policy)
    }
    try await measure("a reused connection", rounds: rounds, requests: 3_000) { version, policy in
      try Candidate(version, server, path: "/reused", policy)
    }
  }

  private static func measure(
    _ title: String, rounds: Int, requests: Int, _ make: (String, Candidate.Policy) throws -> Candidate
  ) async throws {
    let candidates = [
      try make("libcurl's own verification", .library), try make("the same again", .library),
      try make("public keys", .publicKeys), try make("pinned certificates", .certificates),
      try make("the default evaluator", .default),
    ]
    var costs = candidates.map { _ in [Double]() }
    for candidate in candidates { _ = try await candidate.run(requests / 10) }
    for round in 0..<rounds {
      // Another one comes first each time, because what else the machine does is not spread evenly.
      for step in candidates.indices {
        let index = (round + step) % candidates.count
        costs[index].append(try await candidates[index].run(requests))
      }
    }
    print("\(title), \(requests) requests a round:")
    for (index, candidate) in candidates.enumerated() {
      let ratios = zip(costs[index], costs[0]).map { $0 / $1 }
      let name = candidate.name.padding(toLength: 28, withPad: " ", startingAt: 0)
      print(String(format: "  %@ %8.1f µs   x %.3f", name, median(costs[index]) * 1e6, median(ratios)))
    }
  }

  private static func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }
}
