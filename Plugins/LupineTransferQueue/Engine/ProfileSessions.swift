import LupineCore
import LupineFoundation
import LupineSQLiteConnection
import LupineSession

/// The sessions of the stored profiles, made when a transfer needs them.
struct ProfileSessions {
  /// The name of the profile of transfers that name none.
  static let defaultName = "default"

  private var made: [String: (json: [UInt8], session: Session)] = [:]

  /// The session of a transfer; a profile that was changed makes a new one.
  ///
  /// - Throws: `LupineError` of kind `configuration` if there is no such profile or if its session cannot be made.
  mutating func session(
    for name: String?, in database: QueueDatabase, _ settings: QueueSettings
  ) throws(LupineError) -> Session {
    guard let make = settings.sessionForProfile else { return settings.session }
    let stored: [UInt8]?
    do throws(SQLiteFailure) { stored = try database.profile(named: name ?? Self.defaultName) } catch {
      throw error.error(settings.folder, of: "queued transfers")
    }
    guard let json = stored else {
      guard let name else { return settings.session }
      throw Self.failure(name, "it is not stored; store it with setProfile, and resume the transfer")
    }
    let key = name ?? Self.defaultName
    if let made = made[key], made.json == json { return made.session }
    do {
      let session = try make(Data(json))
      made[key] = (json, session)
      return session
    } catch {
      throw Self.failure(key, Self.reason(error))
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as LupineError: error.message
    case DecodingError.dataCorrupted(let context): context.debugDescription
    default: "\(error)"
    }
  }

  private static func failure(_ name: String, _ reason: String) -> LupineError {
    LupineError(
      .configuration([ConfigurationIssue(part: "profile", reason: reason)]),
      "The profile \(name.debugDescription) cannot be used: \(reason)")
  }
}
