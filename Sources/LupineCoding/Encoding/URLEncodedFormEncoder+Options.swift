public import LupineFoundation

extension URLEncodedFormEncoder {
  /// How the elements of an array are named.
  public enum ArrayEncoding: Sendable {
    /// `key[]`.
    case brackets
    /// `key`.
    case noBrackets
    /// `key[0]`.
    case indexInBrackets
    /// The name that a closure returns for the array's full name and the element's index.
    case custom(@Sendable (_ key: String, _ index: Int) -> String)

    func path(_ key: String, _ index: Int) -> String {
      switch self {
      case .brackets: "\(key)[]"
      case .noBrackets: key
      case .indexInBrackets: "\(key)[\(index)]"
      case .custom(let encode): encode(key, index)
      }
    }
  }

  /// How the name of a nested member is joined to its parent's.
  public enum KeyPathEncoding: Sendable {
    /// `parent[child]`.
    case brackets
    /// `parent.child`.
    case dots
    /// The parent's name, followed by the text that a closure returns for the child's name.
    case custom(@Sendable (_ subkey: String) -> String)

    func suffix(_ subkey: String) -> String {
      switch self {
      case .brackets: "[\(subkey)]"
      case .dots: ".\(subkey)"
      case .custom(let encode): encode(subkey)
      }
    }
  }

  /// How names are changed; each part of a nested name is changed separately.
  public enum KeyEncoding: Sendable {
    /// Names are unchanged.
    case useDefaultKeys
    /// `oneTwoThree` becomes `one_two_three`.
    case convertToSnakeCase
    /// `oneTwoThree` becomes `one-two-three`.
    case convertToKebabCase
    /// `oneTwoThree` becomes `OneTwoThree`.
    case capitalized
    /// `oneTwoThree` becomes `ONETWOTHREE`.
    case uppercased
    /// `oneTwoThree` becomes `onetwothree`.
    case lowercased
    /// The name that a closure returns.
    case custom(@Sendable (String) -> String)

    func text(for key: String) -> String {
      switch self {
      case .useDefaultKeys: key
      case .convertToSnakeCase: Self.separateWords(of: key, with: "_")
      case .convertToKebabCase: Self.separateWords(of: key, with: "-")
      case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
      case .uppercased: key.uppercased()
      case .lowercased: key.lowercased()
      case .custom(let encode): encode(key)
      }
    }

    /// Separates words: a word begins at a capital after a small letter, and at the last of several capitals before a
    /// small letter.
    private static func separateWords(of key: String, with separator: Character) -> String {
      var result = ""
      var previous: Character?
      var rest = Substring(key)
      while let character = rest.popFirst() {
        if character.isUppercase, let last = previous, last != separator,
          !last.isUppercase || rest.first?.isLowercase == true
        {
          result.append(separator)
        }
        result += character.lowercased()
        previous = character
      }
      return result
    }
  }
}

extension URLEncodedFormEncoder {
  /// How booleans are written.
  public enum BoolEncoding: Sendable, Hashable {
    /// `1` and `0`.
    case numeric
    /// `true` and `false`.
    case literal

    func text(for value: Bool) -> String {
      switch self {
      case .numeric: value ? "1" : "0"
      case .literal: value ? "true" : "false"
      }
    }
  }

  /// How bytes are written.
  public enum DataEncoding: Sendable {
    /// As Base64.
    case base64
    /// As `Data` encodes itself: an array of numbers.
    case deferredToData
    /// The text that a closure returns.
    case custom(@Sendable (Data) throws -> String)

    func text(for data: Data) throws -> String? {
      switch self {
      case .base64: data.base64EncodedString()
      case .deferredToData: nil
      case .custom(let encode): try encode(data)
      }
    }
  }

  /// How dates are written.
  public enum DateEncoding: Sendable {
    /// As `Date` encodes itself: seconds since 2001.
    case deferredToDate
    /// Seconds since 1970, such as `978307323.456`.
    case secondsSince1970
    /// Milliseconds since 1970, such as `978307323456.0`.
    case millisecondsSince1970
    /// As `2001-01-01T00:02:03Z` (RFC 3339).
    case iso8601
    /// The text that a closure returns.
    case custom(@Sendable (Date) throws -> String)

    /// The text that a format style returns, such as `Date.ISO8601FormatStyle`.
    public static func formatted<Style: FormatStyle & Sendable>(_ style: Style) -> DateEncoding
    where Style.FormatInput == Date, Style.FormatOutput == String {
      .custom { style.format($0) }
    }

    func text(for date: Date) throws -> String? {
      switch self {
      case .deferredToDate: nil
      case .secondsSince1970: String(date.timeIntervalSince1970)
      case .millisecondsSince1970: String(date.timeIntervalSince1970 * 1000)
      case .iso8601: date.formatted(Date.ISO8601FormatStyle())
      case .custom(let encode): try encode(date)
      }
    }
  }

  /// How `nil` is written.
  public enum NilEncoding: Sendable {
    /// The name is omitted too; in an array, the element.
    case dropKey
    /// The name is written with an empty value.
    case dropValue
    /// The value is `null`.
    case null
    /// The text that the closure returns; if it returns `nil`, the name is omitted.
    case custom(@Sendable () -> String?)

    var text: String? {
      switch self {
      case .dropKey: nil
      case .dropValue: ""
      case .null: "null"
      case .custom(let encode): encode()
      }
    }
  }

  /// How spaces are written.
  public enum SpaceEncoding: Sendable, Hashable {
    /// As `%20`.
    case percentEscaped
    /// As `+`.
    case plusReplaced
  }
}
