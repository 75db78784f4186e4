import LupineCore

/// A URL whose path may hold variables; see `MockTransport.stub` for the rules.
struct URLTemplate: Sendable {
  /// One segment of a template's path.
  enum Segment: Sendable, Hashable {
    case literal(String)
    case variable(String, prefix: String, suffix: String)
    case rest(String)
  }

  /// One item of a template's query; a value of nil stands for any.
  struct Query: Sendable, Hashable {
    let item: QueryItem
    let isAnyValue: Bool
  }

  let text: String
  /// Where the URL must lead; nil for everywhere.
  let origin: HTTPURL.Origin?
  let segments: [Segment]
  let query: [Query]
  /// What `plainKey(of:)` gives for every URL that fits; nil where there is more than one.
  let exactKey: String?

  var isAbsolute: Bool { origin != nil }

  /// How much is left open: a variable counts 1, the rest 1,000.
  var vagueness: Int {
    segments.reduce(0) { sum, segment in
      switch segment {
      case .literal: sum
      case .variable: sum + 1
      case .rest: sum + 1_000
      }
    }
  }

  /// The URL up to its path, which an exact template is looked up by.
  static func key(of url: HTTPURL) -> String {
    if url.query == nil, url.fragment == nil { return url.string }
    let end = url.string.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return String(url.string[..<(end ?? url.string.endIndex)])
  }

  /// The key with its path's escapes undone, so that all ways of writing one path have the same.
  ///
  /// A `/` or `%` inside of a segment stays escaped. A key that is plain already is its own plain key.
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

  /// What stands for each variable, or an empty dictionary where the URL does not fit.
  func variables(in url: HTTPURL) -> [String: String] { match(SplitURL.segments(of: url.path)) ?? [:] }

  /// What stands for each variable; nil where the path does not fit.
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
    return missingQuery(in: QueryItem.items(of: url)).isEmpty
  }

  /// The template's items that a request lacks.
  func missingQuery(in items: [QueryItem]) -> [Query] {
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

  /// The segment as it is written.
  var text: String {
    switch self {
    case .literal(let text): text
    case .variable(let name, let prefix, let suffix): "\(prefix){\(name)}\(suffix)"
    case .rest(let name): "{\(name)...}"
    }
  }
}
