/// Where the expectation of a simulation stands that was not met.
///
/// It goes with the error, since two expectations may have one message, and one of them several.
struct UnmetExpectation: Error, Hashable, CustomStringConvertible {
  let fileID: String
  let line: UInt
  let column: UInt

  var description: String { "the expectation at \(fileID):\(line) was not met" }
}
