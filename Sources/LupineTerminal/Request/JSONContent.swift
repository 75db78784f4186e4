#if Terminal
  import LupineCoding
  import LupineFoundation

  /// A JSON object or array of items, in their order.
  struct JSONContent {
    /// `nil` before the first item.
    private var root: JSONNode?

    /// The content as JSON.
    var text: String { root?.json ?? "{}" }

    /// Sets a string at the place that the name states; a later one at the same place replaces an earlier one.
    ///
    /// - Throws: `CommandFailure` if the name is invalid, or needs an object or an array where another value is.
    mutating func set(_ name: String, string: String) throws { try set(name, .text(JSONText.literal(string))) }

    /// Sets a JSON value at the place that the name states.
    ///
    /// - Throws: `CommandFailure` also if the text is no JSON.
    mutating func set(_ name: String, json text: String) throws {
      // A byte order mark is allowed at the beginning of a file alone.
      let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
      guard (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) != nil else {
        throw CommandFailure(
          "The value of \(name.debugDescription) is no JSON: \(text.prefix(80).debugDescription). Write a text as "
            + "\(name)=text.", .usage)
      }
      try set(name, .text(text))
    }

    private mutating func set(_ name: String, _ value: JSONNode) throws {
      root = try JSONNode.setting(value, NestedName(name), in: root)
    }
  }
#endif
