import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation

/// Compares the requests of a recording with live ones.
struct EntryMatcher: Sendable {
  let matching: CassetteMatching
  /// Reads the bytes of a body in a file.
  let load: @Sendable (Cassette.FileContent) -> Data?

  /// Whether the entry answers the live request.
  func matches(_ recorded: Cassette.Request, _ live: LiveRequest) -> Bool {
    guard let url = try? HTTPURL(recorded.url) else { return false }
    return matching.parts.allSatisfy { differences(of: $0, recorded, url, live).isEmpty }
  }

  /// Returns everything in which the live request differs; empty if the entry answers it.
  func differences(_ recorded: Cassette.Request, _ live: LiveRequest) -> [RequestDifference] {
    guard let url = try? HTTPURL(recorded.url) else {
      return [RequestDifference(text: "url: the recorded URL is not valid", weight: 10)]
    }
    return matching.parts.flatMap { differences(of: $0, recorded, url, live) }
  }

  private func differences(
    of part: CassetteMatching.Part, _ recorded: Cassette.Request, _ url: HTTPURL, _ live: LiveRequest
  ) -> [RequestDifference] {
    switch part.kind {
    case .method: Self.method(recorded.method, live.method)
    case .url: RequestDifference.differences(expected: url.origin, got: live.url.origin) + Self.path(url, live.url)
    case .path: Self.path(url, live.url)
    case .query: Self.query(url, live)
    case .field(let name): Self.field(name, recorded.fields, live)
    case .body: BodyComparison(recorded, live, load).differences
    }
  }

  private static func method(_ expected: HTTPRequest.Method, _ got: HTTPRequest.Method) -> [RequestDifference] {
    if expected == got { return [] }
    return [RequestDifference(text: "method: expected \(expected.rawValue), got \(got.rawValue)", weight: 3)]
  }

  private static func path(_ expected: HTTPURL, _ got: HTTPURL) -> [RequestDifference] {
    if Placeholder.matches(recorded: Array(expected.path.utf8), live: Array(got.path.utf8)) { return [] }
    let (wanted, found) = (expected.path.split(separator: "/"), got.path.split(separator: "/"))
    let wrong = zip(wanted, found).count { $0 != $1 } + abs(wanted.count - found.count)
    return [RequestDifference(text: "path: expected \(expected.path), got \(got.path)", weight: 3 * max(1, wrong))]
  }

  private static func query(_ expected: HTTPURL, _ live: LiveRequest) -> [RequestDifference] {
    let items = Unification.items(ParameterItem.items(of: expected), live: ParameterItem.items(of: live.url))
    return difference(.query(exactly: items), live)
  }

  private static func field(
    _ name: HTTPField.Name, _ expected: HTTPFields, _ live: LiveRequest
  ) -> [RequestDifference] {
    let wanted = expected[values: name].joined(separator: ", ")
    guard expected.contains(name) else { return difference(.noField(name), live) }
    let got = live.fields[values: name].joined(separator: ", ")
    return difference(.field(name, Unification.text(wanted, live: got)), live)
  }

  static func difference(_ condition: RequestCondition, _ live: LiveRequest) -> [RequestDifference] {
    condition.difference(from: live.snapshot).map { [RequestDifference(text: $0, weight: 2)] } ?? []
  }
}

/// Gives recorded values the live values that their placeholders stand for, so that equal requests are equal.
enum Unification {
  static func text(_ recorded: String, live: String) -> String {
    Placeholder.matches(recorded: Array(recorded.utf8), live: Array(live.utf8)) ? live : recorded
  }

  static func items(_ recorded: [ParameterItem], live: [ParameterItem]) -> [ParameterItem] {
    var rest = live
    return recorded.map { item in
      guard let value = item.value else { return item }
      let index = rest.firstIndex(of: item) ?? rest.firstIndex { matches(item.name, value, $0) }
      return index.map { rest.remove(at: $0) } ?? item
    }
  }

  private static func matches(_ name: String, _ value: String, _ live: ParameterItem) -> Bool {
    guard live.name == name, let liveValue = live.value else { return false }
    return Placeholder.matches(recorded: Array(value.utf8), live: Array(liveValue.utf8))
  }
}
