/// Where a stub stands in a program's source.
package struct StubLocation: Sendable, CustomStringConvertible {
  package let fileID: String
  package let filePath: String
  package let line: UInt
  package let column: UInt

  package var description: String { "\(fileID):\(line)" }
}
