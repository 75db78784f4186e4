#if Configuration
  import LupineSupport

  /// Parses durations and sizes, which have a unit.
  enum SettingText {
    /// The text that turns a setting off.
    static let none = "none"

    /// Parses a duration such as `250ms`, `1.5s`, `5m` or `1h`; `nil` if the number or the unit is missing or wrong.
    static func duration(_ text: String) -> Duration? {
      let units = ["ms": 0.001, "s": 1, "m": 60, "h": 3_600]
      guard let (number, unit) = parts(text), let seconds = units[unit] else { return nil }
      return Duration(boundedSeconds: number * seconds)
    }

    /// Parses a number of bytes such as `65536`, `64KiB`, `16MiB` or `1GiB`; `nil` if the number or the unit is wrong, or
    /// if it is not a whole number of bytes.
    static func size(_ text: String) -> Int64? {
      let units: [String: Double] = ["": 1, "B": 1, "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824]
      guard let (number, unit) = parts(text), let factor = units[unit] else { return nil }
      return Int64(exactly: number * factor)
    }

    /// Splits a text into a decimal number and its unit, which a space may separate.
    private static func parts(_ text: String) -> (number: Double, unit: String)? {
      let digits = text.utf8.prefix { (0x30...0x39).contains($0) || $0 == 0x2E }
      guard digits.first != 0x2E, digits.last != 0x2E, let number = Double(String(Substring(digits))) else {
        return nil
      }
      let rest = text.utf8.dropFirst(digits.count)
      return (number, String(Substring(rest.first == 0x20 ? rest.dropFirst() : rest)))
    }
  }
#endif
