/// The versions that two builds must have in common to use one folder at the same time.
enum QueueVersion {
  /// The version of the tables, as the database's `user_version` has it.
  static let tables: Int64 = 1
  /// The version of the lines in the sockets of the folder.
  static let lines = 1
}
