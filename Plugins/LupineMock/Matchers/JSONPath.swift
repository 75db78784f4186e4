import LupineCore

/// A place in a JSON value: names joined by dots, indices in brackets.
struct JSONPath: Sendable, CustomStringConvertible {
  enum Step: Sendable {
    case name(String)
    case index(Int)
  }

  private var steps: [Step] = []

  /// The value itself.
  init() {}

  /// Reads a path such as `user.tags[0]`; what is no index stays a part of the name.
  init(_ text: String) {
    for part in text.split(separator: ".") {
      var pieces = part.split(separator: "[", omittingEmptySubsequences: false)[...]
      if let name = pieces.popFirst(), !name.isEmpty { steps.append(.name(String(name))) }
      for piece in pieces {
        let index = piece.hasSuffix("]") ? Int(piece.dropLast()) : nil
        steps.append(index.map { .index($0) } ?? .name("[" + piece))
      }
    }
  }

  /// The path to a value inside this one's.
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

  /// The path as it is written; `$` for the value itself.
  var description: String {
    steps.reduce(into: "$") { text, step in
      switch step {
      case .name(let name): text += ".\(name)"
      case .index(let index): text += "[\(index)]"
      }
    }
  }
}
