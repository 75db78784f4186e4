/// A chain that a mock was told not to have verified, and that no evaluator was asked about.
struct UnverifiedChain: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = "the chain did not verify: \(reason)" }
}
