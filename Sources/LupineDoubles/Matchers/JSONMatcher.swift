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
