import FoundationEssentials
public import LupineCore

/// Expects JSON as the body: all of it, or the value at a path.
struct JSONMatcher: RequestMatcher {
  let path: JSONPath
  let value: JSONValue

  var expectation: String { "body \(path) = \(value)" }

  func difference(from request: MatchableRequest) -> String? {
    guard let body = try? JSONDecoder().decode(JSONValue.self, from: request.body) else {
      return "body: expected JSON, got \(BodyMatcher.shown(request.body))"
    }
    guard let found = path.value(in: body) else { return "body \(path): expected \(value), got no such value" }
    return Self.difference(expected: value, found: found, at: path)
  }

  /// The first place at which two values differ.
  private static func difference(expected: JSONValue, found: JSONValue, at path: JSONPath) -> String? {
    if expected == found { return nil }
    if case .object(let wanted) = expected, case .object(let members) = found {
      for name in Set(wanted.keys).union(members.keys).sorted() {
        let path = path.appending(.name(name))
        guard let expected = wanted[name] else {
          return "body \(path): expected no such value, got \(shown(members[name]))"
        }
        guard let found = members[name] else { return "body \(path): expected \(shown(expected)), got no such value" }
        if let difference = difference(expected: expected, found: found, at: path) { return difference }
      }
    }
    if case .array(let wanted) = expected, case .array(let elements) = found {
      for (index, (expected, found)) in zip(wanted, elements).enumerated() {
        let path = path.appending(.index(index))
        if let difference = difference(expected: expected, found: found, at: path) { return difference }
      }
      return "body \(path): expected \(wanted.count) elements, got \(elements.count)"
    }
    return "body \(path): expected \(shown(expected)), got \(shown(found))"
  }

  private static func shown(_ value: JSONValue?) -> String {
    let text = value?.description ?? "nothing"
    return text.count > 200 ? text.prefix(200) + "…" : text
  }
}

extension RequestCondition {
  /// The body is this JSON, compared by value: the order of members, spaces and the way of writing a number do not count.
  public static func body(json value: JSONValue) -> RequestCondition {
    RequestCondition(JSONMatcher(path: JSONPath(), value: value))
  }

  /// The body is JSON that has this value at a path such as `user.tags[0]`; the rest does not count.
  public static func body(jsonPath path: String, _ value: JSONValue) -> RequestCondition {
    RequestCondition(JSONMatcher(path: JSONPath(path), value: value))
  }
}
