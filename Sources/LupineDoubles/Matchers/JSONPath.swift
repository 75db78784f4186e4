import LupineCoding

/// A place in a JSON value: names joined by dots, indices in brackets.
struct JSONPath: Sendable, CustomStringConvertible {
  enum Step: Sendable {
    case name(String)
    case index(Int)
  }

  private var steps: [Step] = []

  /// Creates the path of the root value.
  init() {}

  /// Why a text is no valid path.
  struct Fault: Error {
    let reason: String
  }

  /// Parses a path such as `user.tags[0]` or `$.user.tags[0]`; `$` alone or an empty text is the root value.
  init(_ text: String) throws(Fault) {
    let isRooted = text == "$" || text.hasPrefix("$.") || text.hasPrefix("$[")
    let path = isRooted ? text.dropFirst(text.hasPrefix("$.") ? 2 : 1) : text[...]
    if path.isEmpty, !text.hasSuffix(".") { return }
    for (number, part) in path.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
      var pieces = part.split(separator: "[", omittingEmptySubsequences: false)[...]
      let name = pieces.popFirst() ?? ""
      guard !name.contains("]") else { throw Fault(reason: "a ] has no [ before it.") }
      // Only the root value, if it is an array, has an index without a name before it.
      guard !name.isEmpty || number == 0 && !pieces.isEmpty else { throw Fault(reason: "one of its names is empty.") }
      if !name.isEmpty { steps.append(.name(String(name))) }
      for piece in pieces { steps.append(try Self.index(piece)) }
    }
  }

  private static func index(_ piece: Substring) throws(Fault) -> Step {
    guard piece.last == "]" else { throw Fault(reason: "a [ has no ], or text follows the ].") }
    guard piece.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let index = Int(piece.dropLast()) else {
      throw Fault(reason: "[\(piece) is not an index, a number from 0.")
    }
    return .index(index)
  }

  /// Returns the path to a value inside the value of this path.
  func appending(_ step: Step) -> JSONPath {
    var copy = self
    copy.steps.append(step)
    return copy
  }

  func value(in root: JSONValue) -> JSONValue? {
    var value = root
    for step in steps {
      let next =
        switch step {
        case .name(let name): value[name]
        case .index(let index): value[index]
        }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// The path in its syntax; `$` for the root value.
  var description: String {
    steps.reduce(into: "$") { text, step in
      switch step {
      case .name(let name): text += ".\(name)"
      case .index(let index): text += "[\(index)]"
      }
    }
  }
}
