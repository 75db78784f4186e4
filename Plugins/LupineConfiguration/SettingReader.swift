#if Configuration
  import Configuration
  import LupineCore

  /// Reads the settings of a session from a configuration, and collects the reasons why values cannot be used.
  struct SettingReader {
    private let configuration: ConfigReader
    private(set) var issues: [ConfigurationIssue] = []

    init(_ configuration: ConfigReader) {
      self.configuration = configuration
    }

    /// Adds an issue with the value of a key.
    mutating func refuse(_ key: SettingKey, _ reason: String) {
      issues.append(ConfigurationIssue(part: key.rawValue, reason: reason))
    }

    /// Fetches the value of a key; `nil` if there is none, or if the provider cannot read it.
    ///
    /// The latter adds an issue, unless the text is empty.
    private mutating func value<Value>(
      _ key: SettingKey, _ fetch: (ConfigReader) async throws -> Value?
    ) async -> Value? {
      do {
        return try await fetch(configuration)
      } catch {
        // A provider without types, such as the environment, cannot read an empty text as a number.
        let text = try? await configuration.fetchString(forKey: key.key, isSecret: true)
        if text?.isEmpty != true { refuse(key, "\(error)") }
        return nil
      }
    }

    /// The text of a key; `nil` if there is none or if it is empty.
    mutating func text(_ key: SettingKey, isSecret: Bool = false) async -> String? {
      let text = await value(key) { try await $0.fetchString(forKey: key.key, isSecret: isSecret) }
      return text?.isEmpty == true ? nil : text
    }

    /// The texts of a key, without empty ones; `nil` if the key has no value.
    mutating func texts(_ key: SettingKey) async -> [String]? {
      await value(key) { try await $0.fetchStringArray(forKey: key.key) }?.filter { !$0.isEmpty }
    }

    /// The value of a key that is yes or no.
    mutating func flag(_ key: SettingKey) async -> Bool? {
      await value(key) { try await $0.fetchBool(forKey: key.key) }
    }

    /// The number of a key, which is not negative.
    mutating func count(_ key: SettingKey) async -> Int? {
      guard let count = await value(key, { try await $0.fetchInt(forKey: key.key) }) else { return nil }
      if count >= 0 { return count }
      refuse(key, "\(count) is negative")
      return nil
    }

    /// The fraction of a key, which is finite and at least 1.
    mutating func ratio(_ key: SettingKey) async -> Double? {
      guard let ratio = await value(key, { try await $0.fetchDouble(forKey: key.key) }) else { return nil }
      if ratio.isFinite, ratio >= 1 { return ratio }
      refuse(key, "\(ratio) is not a finite number of at least 1")
      return nil
    }

    /// The duration of a key.
    mutating func duration(_ key: SettingKey) async -> Duration? {
      guard let text = await text(key) else { return nil }
      if let duration = SettingText.duration(text) { return duration }
      refuse(key, "\"\(text)\" is not a duration; write a number and ms, s, m or h, such as 30s")
      return nil
    }

    /// The duration of a key, or `.some(nil)` for the text `none`.
    mutating func timeout(_ key: SettingKey) async -> Duration?? {
      guard let text = await text(key) else { return nil }
      if text == SettingText.none { return .some(nil) }
      if let duration = SettingText.duration(text) { return duration }
      refuse(key, "\"\(text)\" is not a duration; write a number and ms, s, m or h, such as 30s, or none")
      return nil
    }

    /// The number of bytes of a key, which is a number or a text with a unit.
    mutating func size(_ key: SettingKey) async -> Int64? {
      // A JSON file has a number or a text. Reading a text as a number throws; the size is then read as a text.
      if let number = try? await configuration.fetchInt(forKey: key.key) {
        if number >= 0 { return Int64(number) }
        refuse(key, "\(number) is negative")
        return nil
      }
      guard let text = await text(key) else { return nil }
      if let size = SettingText.size(text) { return size }
      refuse(key, "\"\(text)\" is not a number of bytes; write a number, or one with KiB, MiB or GiB, such as 64KiB")
      return nil
    }

    /// The part that the value of a key names; `nil` if there is no value or if it is `none`.
    mutating func part<Part>(_ key: SettingKey, in parts: [String: Part]) async -> Part? {
      guard let name = await text(key), name != SettingText.none else { return nil }
      return part(key, named: name, in: parts)
    }

    /// The parts that the values of a key name.
    mutating func parts<Part>(_ key: SettingKey, in parts: [String: Part]) async -> [Part] {
      var found: [Part] = []
      for name in await texts(key) ?? [] where name != SettingText.none {
        if let part = part(key, named: name, in: parts) { found.append(part) }
      }
      return found
    }

    private mutating func part<Part>(_ key: SettingKey, named name: String, in parts: [String: Part]) -> Part? {
      if let part = parts[name] { return part }
      let names = parts.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      refuse(key, "\"\(name)\" is unknown; \(names.isEmpty ? "the program passes no parts" : "the names are \(names)")")
      return nil
    }
  }
#endif
