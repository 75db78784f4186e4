/// A command that a runner starts when all transfers of a group have ended.
public struct GroupHook: Sendable, Hashable {
  /// The name of the group.
  public let group: String
  /// The absolute path of a program, and its arguments.
  public let command: [String]
  /// How often all transfers of the group have ended.
  public internal(set) var completions: Int64 = 0
  /// The number of the last completion whose command has ended; 0 before the first one.
  public internal(set) var ended: Int64 = 0
  /// The exit code of the command that has ended last, or 128 and the number of the signal that ended it.
  ///
  /// 127 means that it could not be started. `nil` if none has ended.
  public internal(set) var exitCode: Int32?

  /// Whether the command is to be started, or runs.
  public var isDue: Bool { ended < completions }
}
