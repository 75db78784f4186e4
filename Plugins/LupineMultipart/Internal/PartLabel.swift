import LupineCore
import LupineSupport

/// Says which part an error is about, as in `Part 2 ("unicorn")`.
struct PartLabel: Sendable, CustomStringConvertible {
  let description: String
  /// The part's own name.
  let name: String?

  init(number: Int, name: String?, inside outer: PartLabel? = nil) {
    self.name = name
    let own = "Part \(number)" + (name.map { " (\"\($0.escapingControls())\")" } ?? "")
    description = outer.map { "\(own) inside \($0)" } ?? own
  }

  /// The error with the part in front of its message, which is a sentence of its own.
  func naming(_ error: LupineError) -> LupineError {
    LupineError(error.kind, "\(description) of the multipart body cannot be sent. \(error.message)", underlying: error)
  }
}
