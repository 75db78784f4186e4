/// A chain that the mock has no verification result for, and that no evaluator was asked about.
struct UnverifiedChain: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = "the chain did not verify: \(reason)" }
}
