public import LupineCoding
public import LupineCore
import LupineFoundation

/// Expects JSON as the body: all of it, or the value at a path.
struct JSONMatcher: RequestMatcher {
  let path: JSONPath
  let value: JSONValue
  var problem: String?

  var expectation: String { "body \(path) = \(value)" }

  func difference(from request: RequestSnapshot) -> String? {
    if let problem { return "body: \(problem)" }
    guard let body = try? JSONDecoder().decode(JSONValue.self, from: request.body) else {
      return "body: expected JSON, got \(BodyMatcher.shown(request.body))"
    }
    guard let found = path.value(in: body) else { return "body \(path): expected \(value), got no such value" }
    var differences: [String] = []
    Self.collect(&differences, expected: value, found: found, at: path)
    return differences.joinedDifferences("body ")
  }

  /// Collects the paths at which two values differ, up to the number that is reported.
  private static func collect(_ differences: inout [String], expected: JSONValue, found: JSONValue, at path: JSONPath) {
    guard differences.count <= [String].maximumReportedDifferences, expected != found else { return }
    switch (expected, found) {
    case (.object(let wanted), .object(let members)): collect(&differences, wanted: wanted, members: members, at: path)
    case (.array(let wanted), .array(let elements)):
      for (index, (expected, found)) in zip(wanted, elements).enumerated() {
        collect(&differences, expected: expected, found: found, at: path.appending(.index(index)))
      }
      if wanted.count != elements.count {
        differences.append("\(path): expected \(wanted.count) elements, got \(elements.count)")
      }
    default: differences.append(leaf(expected: expected, found: found, at: path))
    }
  }

  private static func collect(
    _ differences: inout [String], wanted: [String: JSONValue], members: [String: JSONValue], at path: JSONPath
  ) {
    for name in Set(wanted.keys).union(members.keys).sorted() {
      let path = path.appending(.name(name))
      if let expected = wanted[name], let found = members[name] {
        collect(&differences, expected: expected, found: found, at: path)
      } else if let expected = wanted[name] {
        differences.append("\(path): expected \(shown(expected)), got no such value")
      } else if let found = members[name] {
        differences.append("\(path): expected no such value, got \(shown(found))")
      }
    }
  }

  private static func leaf(expected: JSONValue, found: JSONValue, at path: JSONPath) -> String {
    let (wanted, got) = (Data(expected.description.utf8), Data(found.description.utf8))
    let place = Excerpt.place(wanted, got)
    if Excerpt.isShown(place) { return "\(path): expected \(shown(expected)), got \(shown(found))" }
    return "\(path) from byte \(place) on: " + Excerpt.texts(wanted, got, at: place)
  }

  private static func shown(_ value: JSONValue) -> String {
    let text = value.description
    return text.count > Excerpt.length ? text.prefix(Excerpt.length) + "…" : text
  }
}

extension RequestCondition {
  /// The body is this JSON, compared by value: member order, white space and number format do not count.
  public static func body(json value: JSONValue) -> RequestCondition {
    RequestCondition(JSONMatcher(path: JSONPath(), value: value))
  }

  /// The body is JSON with this value at a path such as `user.tags[0]`; the rest is ignored.
  ///
  /// A path may begin with `$`, which is the root. An invalid path, for example with an unclosed bracket, ends the
  /// requests that might match with kind `invalidStub`.
  public static func body(jsonPath path: String, _ value: JSONValue) -> RequestCondition {
    do throws(JSONPath.Fault) {
      return RequestCondition(JSONMatcher(path: try JSONPath(path), value: value))
    } catch {
      let problem = "the JSON path \"\(path)\" cannot be read: \(error.reason)"
      return RequestCondition(JSONMatcher(path: JSONPath(), value: value, problem: problem))
    }
  }
}

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
