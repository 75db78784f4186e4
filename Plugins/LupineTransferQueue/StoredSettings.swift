import LupineCore
import LupineFoundation
import LupineSQLiteConnection

/// The profiles and the hooks in the folder of a queue.
struct StoredSettings: Sendable {
  private static let mostBytes = 64 << 10

  let engine: QueueEngine

  /// Stores a profile, or removes it; the next transfer that begins uses it.
  func setProfile(_ profile: TransferQueue.Profile?, named name: String) async throws(LupineError) {
    try SettingName.check(name, of: "profile")
    let json = try profile.map { (profile) throws(LupineError) in try Self.json(of: profile, named: name) }
    try await engine.write { (database) throws(SQLiteFailure) in try database.setProfile(json, named: name) }
  }

  private static func json(of profile: TransferQueue.Profile, named name: String) throws(LupineError) -> [UInt8] {
    if let issue = profile.issues.first {
      throw LupineError(.invalidRequest, "The profile \(name.debugDescription) cannot be stored: \(issue).")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(profile), json.count <= mostBytes else {
      throw LupineError(.invalidRequest, "The profile \(name.debugDescription) has more than 64 KiB of JSON.")
    }
    return [UInt8](json)
  }

  /// A profile that is stored; `nil` if there is none.
  func profile(named name: String) async throws(LupineError) -> TransferQueue.Profile? {
    let json = try await engine.read { (opened) throws(SQLiteFailure) in try opened.database.profile(named: name) }
    guard let json else { return nil }
    do { return try JSONDecoder().decode(TransferQueue.Profile.self, from: Data(json)) } catch {
      throw LupineError(.other, "The profile \(name.debugDescription) cannot be read: \(error)", underlying: error)
    }
  }

  var profileNames: [String] {
    get async throws(LupineError) {
      try await engine.read { (opened) throws(SQLiteFailure) in try opened.database.profileNames() }
    }
  }

  /// Stores the command of a group, or removes it.
  func setHook(_ command: [String]?, group: String) async throws(LupineError) {
    try SettingName.check(group, of: "group")
    if let command { try Self.check(command) }
    try await engine.write { (database) throws(SQLiteFailure) in try database.setHook(command, group: group) }
  }

  private static func check(_ command: [String]) throws(LupineError) {
    guard let program = command.first, program.hasPrefix("/") else {
      throw LupineError(
        .invalidRequest,
        "The hook must begin with the absolute path of a program, not with \((command.first ?? "").debugDescription).")
    }
    guard !command.contains(where: { $0.utf8.contains(0) }), command.reduce(0, { $0 + $1.utf8.count }) <= mostBytes
    else { throw LupineError(.invalidRequest, "The arguments of a hook have no NUL, and at most 64 KiB.") }
  }

  var hooks: [GroupHook] {
    get async throws(LupineError) {
      try await engine.read { (opened) throws(SQLiteFailure) in try opened.database.hooks(areDue: false) }
    }
  }
}
