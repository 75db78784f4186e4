import LupineCore
import LupineSupport

/// The name of a part in an error message, such as `Part 2 ("unicorn")`.
struct PartLabel: Sendable, CustomStringConvertible {
  let description: String
  /// The part's own name, without the enclosing parts.
  let name: String?

  init(number: Int, name: String?, inside outer: PartLabel? = nil) {
    self.name = name
    let own = "Part \(number)" + (name.map { " (\"\($0.escapingControls())\")" } ?? "")
    description = outer.map { "\(own) inside \($0)" } ?? own
  }

  /// Returns the error with the part before its message.
  func naming(_ error: LupineError) -> LupineError {
    LupineError(error.kind, "\(description) of the multipart body cannot be sent. \(error.message)", underlying: error)
  }
}
