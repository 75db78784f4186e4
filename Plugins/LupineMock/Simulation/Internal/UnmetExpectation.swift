/// The source location of a simulation's expectation that was not met.
///
/// The error carries the location, because two expectations may have the same message, and one expectation may have
/// several.
struct UnmetExpectation: Error, Hashable, CustomStringConvertible {
  let fileID: String
  let line: UInt
  let column: UInt

  var description: String { "the expectation at \(fileID):\(line) was not met" }
}
