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
