/// The source location of a stub.
public struct StubLocation: Sendable, CustomStringConvertible {
  /// The module and the file, as in `#fileID`.
  public let fileID: String
  /// The path of the file, as in `#filePath`.
  public let filePath: String
  /// The line, from 1.
  public let line: UInt
  /// The column, from 1.
  public let column: UInt

  /// The file and the line.
  public var description: String { "\(fileID):\(line)" }
}
