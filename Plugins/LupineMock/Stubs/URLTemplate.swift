import LupineCore
import LupineDoubles
import LupineSupport

/// A URL whose path may hold variables; see `MockTransport.stub` for the rules.
struct URLTemplate: Sendable {
  /// One segment of a template's path.
  enum Segment: Sendable, Hashable {
    case literal(String)
    case variable(String, prefix: String, suffix: String)
    case rest(String)
  }

  /// One item of a template's query; a `nil` value matches any value.
  struct Query: Sendable, Hashable {
    let item: ParameterItem
    let isAnyValue: Bool
  }

  let text: String
  /// The required origin; `nil` matches every origin.
  let origin: HTTPURL.Origin?
  let segments: [Segment]
  let query: [Query]
  /// The `plainKey(of:)` of every matching URL; `nil` if there is more than one such key.
  let exactKey: String?

  var isAbsolute: Bool { origin != nil }

  /// How unspecific the template is: a variable counts 1, the rest 1,000.
  var generality: Int {
    segments.reduce(0) { sum, segment in
      switch segment {
      case .literal: sum
      case .variable: sum + 1
      case .rest: sum + 1_000
      }
    }
  }

  /// Returns the URL up to its path, as the lookup key of an exact template.
  static func key(of url: HTTPURL) -> String {
    if url.query == nil, url.fragment == nil { return url.string }
    let end = url.string.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return String(url.string[..<(end ?? url.string.endIndex)])
  }

  /// Returns the key with its path decoded, so that equivalent spellings of a path have the same key.
  ///
  /// An escaped `/` or `%` in a segment stays escaped. The plain key of a key without escapes is the key itself.
  static func plainKey(of url: HTTPURL) -> String {
    let (key, path) = (key(of: url), url.path)
    guard path.utf8.contains(UInt8(ascii: "%")) else { return key }
    let segments = SplitURL.segments(of: path).map { segment in
      segment.replacing("%", with: "%25").replacing("/", with: "%2F")
    }
    return "\(key.dropLast(path.count))/\(segments.joined(separator: "/"))"
  }

  func matches(_ url: SplitURL) -> Bool {
    if let origin, origin != url.origin { return false }
    return match(url.segments) != nil
  }

  /// Returns the values of the variables; empty if the URL does not match.
  func variables(in url: HTTPURL) -> [String: String] { match(SplitURL.segments(of: url.path)) ?? [:] }

  /// Returns the values of the variables; `nil` if the path does not match.
  func match(_ parts: [String]) -> [String: String]? {
    var found: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      if case .rest(let name) = segment {
        found[name] = parts.dropFirst(index).joined(separator: "/")
        return found
      }
      guard index < parts.count, segment.matches(parts[index]) else { return nil }
      if case .variable(let name, let prefix, let suffix) = segment {
        found[name] = String(parts[index].dropFirst(prefix.count).dropLast(suffix.count))
      }
    }
    return parts.count == segments.count ? found : nil
  }

  /// Whether the template's items are among the URL's.
  func hasQuery(of url: HTTPURL) -> Bool {
    guard !query.isEmpty else { return true }
    return missingQuery(in: ParameterItem.items(of: url)).isEmpty
  }

  /// Returns the template's items that a request lacks.
  func missingQuery(in items: [ParameterItem]) -> [Query] {
    var items = items
    return query.filter { wanted in
      let index = items.firstIndex { wanted.isAnyValue ? $0.name == wanted.item.name : $0 == wanted.item }
      guard let index else { return true }
      items.remove(at: index)
      return false
    }
  }
}

extension URLTemplate.Segment {
  func matches(_ part: String) -> Bool {
    switch self {
    case .literal(let text): part == text
    case .variable(_, let prefix, let suffix):
      part.count > prefix.count + suffix.count && part.hasPrefix(prefix) && part.hasSuffix(suffix)
    case .rest: true
    }
  }

  /// The segment in the syntax of a template.
  var text: String {
    switch self {
    case .literal(let text): text
    case .variable(let name, let prefix, let suffix): "\(prefix){\(name)}\(suffix)"
    case .rest(let name): "{\(name)...}"
    }
  }
}

/// The parts of a request's URL, split once for comparison with many templates.
struct SplitURL {
  let url: HTTPURL
  let origin: HTTPURL.Origin
  /// The path's segments, percent-decoded; `/a/` has two, the last one empty.
  let segments: [String]

  init(_ url: HTTPURL) {
    self.url = url
    origin = url.origin
    segments = Self.segments(of: url.path)
  }

  static func segments(of path: String) -> [String] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { $0.percentDecoded() }
  }
}

extension URLTemplate {
  /// Returns the differences that keep a URL from matching.
  func differences(from url: SplitURL) -> [RequestDifference] {
    originDifferences(url) + pathDifferences(url) + queryDifferences(url)
  }

  private func originDifferences(_ url: SplitURL) -> [RequestDifference] {
    origin.map { RequestDifference.differences(expected: $0, got: url.origin) } ?? []
  }

  private func pathDifferences(_ url: SplitURL) -> [RequestDifference] {
    if match(url.segments) != nil { return [] }
    let expected = "/" + segments.map(\.text).joined(separator: "/")
    let got = "/" + url.segments.joined(separator: "/")
    let compared = zip(segments, url.segments)
    let wrong = compared.filter { !$0.matches($1) }.count
    let surplus = abs(segments.count - url.segments.count)
    var text = "path: expected \(expected), got \(got)"
    if surplus == 0, wrong == 1, let index = compared.map({ $0.matches($1) }).firstIndex(of: false) {
      text += " (segment \(index + 1))"
    }
    return [RequestDifference(text: text, weight: 3 * wrong + 2 * surplus)]
  }

  private func queryDifferences(_ url: SplitURL) -> [RequestDifference] {
    let items = ParameterItem.items(of: url.url)
    return missingQuery(in: items).map { missing in
      let values = items.filter { $0.name == missing.item.name }.map(\.shownValue)
      let got = values.isEmpty ? "no such item" : values.joined(separator: ", ")
      let expected = missing.isAnyValue ? missing.item.value ?? "any value" : missing.item.shownValue
      return RequestDifference(text: "query \(missing.item.name): expected \(expected), got \(got)", weight: 2)
    }
  }
}
