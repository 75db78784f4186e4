/// Where a stub stands in a program's source.
struct SourceLocation: Sendable, CustomStringConvertible {
  let fileID: String
  let line: UInt

  var description: String { "\(fileID):\(line)" }
}
