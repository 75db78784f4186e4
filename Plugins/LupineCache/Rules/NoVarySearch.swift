import HTTPTypes
import LupineSupport

/// The parameters of a query that do not change a response, as `No-Vary-Search` names them
/// (draft-ietf-httpbis-no-vary-search).
struct NoVarySearch: Sendable, Equatable {
  /// Whether the order of different parameters does not matter.
  private var ignoresOrder = false
  /// The names of parameters that do not matter.
  private var ignored: Set<String> = []
  /// The only names that matter; `nil` if all matter that are not ignored.
  private var kept: Set<String>?

  /// Reads the field of a response; `nil` if it is absent, invalid, or says that all of the query matters.
  init?(of fields: HTTPFields) {
    guard let text = fields[.noVarySearch] else { return nil }
    self.init(text)
  }

  /// Reads a structured dictionary (RFC 9651 section 3.2); `nil` as for the field.
  init?(_ text: String) {
    guard let members = StructuredDictionary(text) else { return nil }
    switch members["key-order"] {
    case nil: break
    case .boolean(let isIgnored): ignoresOrder = isIgnored
    default: return nil
    }
    guard let exceptions = Self.names(members["except"] ?? .list([])) else { return nil }
    switch members["params"] {
    case nil, .boolean(false): break
    case .boolean(true): kept = Set(exceptions)
    case let names?:
      guard let names = Self.names(names) else { return nil }
      ignored = Set(names)
    }
    // Exceptions have a meaning only if all other parameters are ignored.
    if kept == nil, !exceptions.isEmpty { return nil }
    if !ignoresOrder, ignored.isEmpty, kept == nil { return nil }
  }

  /// The names in a list of strings, which are written in percent-encoded form; `nil` for another value.
  private static func names(_ value: StructuredValue) -> [String]? {
    guard case .list(let items) = value else { return nil }
    let names = items.compactMap { if case .string(let name) = $0.value { decoded(name[...]) } else { nil } }
    return names.count == items.count ? names : nil
  }

  /// Returns a text that is equal for the queries that select the same response.
  func canonical(_ query: String?) -> String {
    var pairs = (query ?? "").split(separator: "&").map { item -> (name: String, value: String) in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
    pairs.removeAll { pair in
      if let kept { !kept.contains(pair.name) } else { ignored.contains(pair.name) }
    }
    if ignoresOrder {
      // The order of parameters with one name matters.
      let sorted = pairs.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      pairs = sorted.map(\.element)
    }
    return pairs.map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }.joined()
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentCoding.decoded(text, plusIsSpace: true).bytes, as: UTF8.self)
  }
}

extension HTTPField.Name {
  /// `No-Vary-Search`.
  static let noVarySearch = HTTPField.Name(constant: "No-Vary-Search")
}
