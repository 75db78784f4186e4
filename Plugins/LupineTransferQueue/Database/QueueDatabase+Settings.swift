import LupineFoundation
import LupineSQLiteConnection

/// The profiles and the hooks.
///
/// They are read seldom, so that their statements are prepared at each call. A damaged row counts as none: a command or
/// pins that were changed must not be used.
extension QueueDatabase {
  static let settingTables = [
    "CREATE TABLE profiles (name BLOB PRIMARY KEY, json BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT",
    "CREATE TABLE hooks (name BLOB PRIMARY KEY, command BLOB NOT NULL, checksum INTEGER NOT NULL, "
      + "completions INTEGER NOT NULL, ended INTEGER NOT NULL, code INTEGER NOT NULL) STRICT",
  ]

  static let profileColumns = "name, json, checksum"
  static let hookColumns = "name, command, checksum, completions, ended, code"

  /// Stores a profile in JSON, or removes it.
  func setProfile(_ json: [UInt8]?, named name: String) throws(SQLiteFailure) {
    let name = [UInt8](name.utf8)
    guard let json else {
      return try Statement("DELETE FROM profiles WHERE name = ?", on: connection).run([.bytes(name)])
    }
    let statement = try Statement(
      "INSERT INTO profiles (\(Self.profileColumns)) VALUES (?, ?, ?) "
        + "ON CONFLICT (name) DO UPDATE SET json = excluded.json, checksum = excluded.checksum", on: connection)
    try statement.run([.bytes(name), .bytes(json), .bits((name + json).checksum)])
  }

  /// The profile with this name in JSON.
  func profile(named name: String) throws(SQLiteFailure) -> [UInt8]? {
    let statement = try Statement("SELECT \(Self.profileColumns) FROM profiles WHERE name = ?", on: connection)
    return try statement.first([.bytes([UInt8](name.utf8))]) { Self.profile($0)?.json } ?? nil
  }

  /// The names of the profiles.
  func profileNames() throws(SQLiteFailure) -> [String] {
    var names: [String] = []
    let statement = try Statement("SELECT \(Self.profileColumns) FROM profiles ORDER BY name", on: connection)
    try statement.run { (row) throws(SQLiteFailure) in if let found = Self.profile(row) { names.append(found.name) } }
    return names
  }

  static func profile(_ row: Row) -> (name: String, json: [UInt8])? {
    let (name, json) = (row.bytes(0), row.bytes(1))
    guard (name + json).checksum == row.bits(2) else { return nil }
    return (String(decoding: name, as: UTF8.self), json)
  }

  /// Stores the command of a group, or removes it; the number of completions stays.
  func setHook(_ command: [String]?, group: String) throws(SQLiteFailure) {
    let name = [UInt8](group.utf8)
    guard let command else {
      return try Statement("DELETE FROM hooks WHERE name = ?", on: connection).run([.bytes(name)])
    }
    try insert(GroupHook(group: group, command: command))
  }

  /// Inserts a hook, or changes the command of its group.
  func insert(_ hook: GroupHook) throws(SQLiteFailure) {
    guard let json = try? [UInt8](JSONEncoder().encode(hook.command)) else { throw .damaged("a command has no JSON") }
    let name = [UInt8](hook.group.utf8)
    let statement = try Statement(
      "INSERT INTO hooks (\(Self.hookColumns)) VALUES (?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT (name) DO UPDATE SET command = excluded.command, checksum = excluded.checksum", on: connection)
    try statement.run([
      .bytes(name), .bytes(json), .bits((name + json).checksum), .integer(hook.completions), .integer(hook.ended),
      .integer(Int64(hook.exitCode ?? -1)),
    ])
  }

  /// The hooks of all groups, or those that are due.
  func hooks(areDue: Bool) throws(SQLiteFailure) -> [GroupHook] {
    var hooks: [GroupHook] = []
    let condition = areDue ? "WHERE ended < completions" : ""
    let statement = try Statement("SELECT \(Self.hookColumns) FROM hooks \(condition) ORDER BY name", on: connection)
    try statement.run { (row) throws(SQLiteFailure) in if let hook = Self.hook(row) { hooks.append(hook) } }
    return hooks
  }

  static func hook(_ row: Row) -> GroupHook? {
    let (name, json) = (row.bytes(0), row.bytes(1))
    guard (name + json).checksum == row.bits(2),
      let command = try? JSONDecoder().decode([String].self, from: Data(json)), !command.isEmpty,
      row.integer(3) >= 0, row.integer(3) < 1 << 62, row.integer(4) >= 0
    else { return nil }
    return GroupHook(
      group: String(decoding: name, as: UTF8.self), command: command, completions: row.integer(3),
      ended: row.integer(4), exitCode: row.integer(5) < 0 ? nil : Int32(truncatingIfNeeded: row.integer(5)))
  }

  /// Stores that all transfers of a group have ended; does nothing if the group has no hook.
  func completeGroup(_ group: String) throws(SQLiteFailure) {
    try Statement("UPDATE hooks SET completions = completions + 1 WHERE name = ?", on: connection)
      .run([.bytes([UInt8](group.utf8))])
  }

  /// Stores the end of the command that was started for a completion.
  ///
  /// A hook that was removed and stored again meanwhile has fewer completions; the later ones must start its command.
  func endHook(_ group: String, completion: Int64, code: Int32?) throws(SQLiteFailure) {
    let statement = try Statement(
      "UPDATE hooks SET ended = min(completions, max(ended, ?)), code = ? WHERE name = ?", on: connection)
    try statement.run([.integer(completion), .integer(Int64(code ?? -1)), .bytes([UInt8](group.utf8))])
  }
}
