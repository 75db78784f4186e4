import LupineCore

/// The names of profiles and groups.
enum SettingName {
  /// Refuses a name that is empty, longer than 255 bytes, or has a control character.
  static func check(_ name: String, of what: String) throws(LupineError) {
    guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw LupineError(
        .invalidRequest,
        "\(name.debugDescription) is no name of a \(what): it must have 1 to 255 bytes and no control character.")
    }
  }
}
