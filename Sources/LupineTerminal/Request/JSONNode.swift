#if Terminal
  import LupineFoundation

  /// A part of JSON content that is made of items.
  enum JSONNode {
    /// A value with the text that the command line has for it.
    case text(String)
    case object([(key: String, value: JSONNode)])
    case array([JSONNode])

    /// The value as JSON.
    var json: String {
      switch self {
      case .text(let text): text
      case .object(let members):
        "{" + members.map { "\(JSONText.literal($0.key)): \($0.value.json)" }.joined(separator: ", ") + "}"
      case .array(let elements): "[" + elements.map(\.json).joined(separator: ", ") + "]"
      }
    }

    /// Returns the value with another value at a place in it.
    ///
    /// Missing objects and arrays on the way are made, and arrays are filled with `null`. A `null` is replaced.
    ///
    /// - Parameters:
    ///   - node: the present value; `nil` if there is none.
    ///   - depth: the number of steps that lead to it.
    /// - Throws: `CommandFailure` if a value on the way is of another type.
    static func setting(_ value: JSONNode, _ name: NestedName, in node: JSONNode?, depth: Int = 0) throws -> JSONNode {
      guard depth < name.steps.count else { return value }
      let node = try node.map { try $0.expanded() } ?? .null
      switch name.steps[depth] {
      case .key(let key):
        var members = try node.members(name, depth)
        let index = members.firstIndex { $0.key == key }
        let member = try setting(value, name, in: index.map { members[$0].value }, depth: depth + 1)
        if let index { members[index].value = member } else { members.append((key, member)) }
        return .object(members)
      case .index(let index):
        var elements = try node.elements(name, depth)
        while elements.count <= index { elements.append(.null) }
        elements[index] = try setting(value, name, in: elements[index], depth: depth + 1)
        return .array(elements)
      case .append:
        return .array(try node.elements(name, depth) + [setting(value, name, in: nil, depth: depth + 1)])
      }
    }

    private static let null = JSONNode.text("null")

    private var isNull: Bool { if case .text(let text) = self { JSONText.isNull(text) } else { false } }

    private func members(_ name: NestedName, _ depth: Int) throws -> [(key: String, value: JSONNode)] {
      if case .object(let members) = self { return members }
      guard isNull else { throw conflict(name, depth, needed: "an object") }
      return []
    }

    private func elements(_ name: NestedName, _ depth: Int) throws -> [JSONNode] {
      if case .array(let elements) = self { return elements }
      guard isNull else { throw conflict(name, depth, needed: "an array") }
      return []
    }

    private func conflict(_ name: NestedName, _ depth: Int, needed: String) -> CommandFailure {
      let place = depth == 0 ? "The content" : ControlEscaper.line(name.written(before: depth))
      return CommandFailure(
        "\(place) is \(kind) by an earlier item, and the item \(ControlEscaper.line(name.text)) needs \(needed) there. "
          + "Change one of the two.", .usage)
    }

    private var kind: String {
      switch self {
      case .object: "an object"
      case .array: "an array"
      case .text(let text):
        switch text.first(where: { !$0.isWhitespace }) {
        case "\"": "a string"
        case "t", "f": "a Boolean"
        default: "a number"
        }
      }
    }

    /// Divides the text of an object or an array into its members, whose texts stay as they are.
    private func expanded() throws -> JSONNode {
      guard case .text(let text) = self, let parts = JSONText.parts(of: text) else { return self }
      guard parts.isObject else { return .array(parts.texts.map { .text($0) }) }
      var members: [(key: String, value: JSONNode)] = []
      var places: [String: Int] = [:]
      for pair in stride(from: 0, to: parts.texts.count - 1, by: 2) {
        let key = try JSONDecoder().decode(String.self, from: Data(parts.texts[pair].utf8))
        let value = JSONNode.text(parts.texts[pair + 1])
        // Of several members with one key, the last one applies.
        if let place = places.updateValue(places[key] ?? members.count, forKey: key) {
          members[place].value = value
        } else {
          members.append((key, value))
        }
      }
      return .object(members)
    }
  }
#endif
