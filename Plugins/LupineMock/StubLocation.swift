/// Where a stub stands in a program's source.
public struct StubLocation: Sendable, CustomStringConvertible {
  /// The module and the file, as `#fileID` has them.
  public let fileID: String
  /// The path of the file, as `#filePath` has it.
  public let filePath: String
  /// The line, from 1.
  public let line: UInt
  /// The column, from 1.
  public let column: UInt

  /// The file and the line.
  public var description: String { "\(fileID):\(line)" }
}
