public import LupineCore

/// Expects items in the query.
struct QueryMatcher: RequestMatcher {
  let items: [QueryItem]
  /// Whether further items are refused.
  let isExact: Bool

  var expectation: String {
    "query \(isExact ? "exactly " : "")\(items.map(\.description).joined(separator: "&"))"
  }

  var readsBody: Bool { false }

  func difference(from request: RequestSnapshot) -> String? {
    let found = QueryItem.items(of: request.url)
    return QueryItem.differences(expected: items, found: found, isExact: isExact).joinedDifferences("query ")
  }
}

extension QueryItem {
  /// Returns the missing items, and with `isExact` the additional ones; the order does not count.
  static func differences(expected: [QueryItem], found: [QueryItem], isExact: Bool) -> [String] {
    var surplus = found
    var missing: [QueryItem] = []
    for item in expected {
      guard let index = surplus.firstIndex(of: item) else {
        missing.append(item)
        continue
      }
      surplus.remove(at: index)
    }
    let differences = missing.map { Self.missing($0, among: found) }
    guard isExact else { return differences }
    // An item with another value is reported as a difference, not also as an additional item.
    let reported = Set(missing.map(\.name))
    let further = surplus.filter { !reported.contains($0.name) }
    return differences + further.map { "\($0.name): expected no such item, got \($0)" }
  }

  private static func missing(_ item: QueryItem, among found: [QueryItem]) -> String {
    let values = found.filter { $0.name == item.name }.map(\.shownValue)
    return "\(item.name): expected \(item.shownValue), "
      + "got \(values.isEmpty ? "no such item" : values.joined(separator: ", "))"
  }
}

extension RequestCondition {
  /// The query has this item; other items are allowed.
  ///
  /// Values are compared decoded, and `+` is a space.
  ///
  /// - Parameter value: the item's value; `nil` for an item without `=`.
  public static func query(_ name: String, _ value: String?) -> RequestCondition {
    RequestCondition(QueryMatcher(items: [QueryItem(name: name, value: value)], isExact: false))
  }

  /// The query has exactly these items, in any order.
  public static func query(exactly items: [String: String]) -> RequestCondition {
    let items = items.sorted { $0.key < $1.key }.map { QueryItem(name: $0.key, value: $0.value) }
    return RequestCondition(QueryMatcher(items: items, isExact: true))
  }
}

/// One item of a query or of a form, decoded.
struct QueryItem: Sendable, Hashable, CustomStringConvertible {
  let name: String
  /// `nil` for an item without `=`.
  let value: String?

  /// The item for a report.
  var description: String {
    value.map { "\(name)=\(SecretParameters.isSecret(name) ? SecretParameters.replacement : $0)" } ?? name
  }

  /// The value for a report.
  var shownValue: String {
    guard let value else { return "no value" }
    return SecretParameters.isSecret(name) ? "a secret value, which is not shown" : value
  }

  /// Returns the items of a URL's query, in order.
  static func items(of url: HTTPURL) -> [QueryItem] { url.query.map { items(in: $0) } ?? [] }

  /// Returns the items of a text such as `a=1&b=2`, in which `+` is a space.
  static func items(in text: String) -> [QueryItem] {
    text.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return QueryItem(
        name: parts[0].percentDecoded(plusIsSpace: true),
        value: parts.count > 1 ? parts[1].percentDecoded(plusIsSpace: true) : nil)
    }
  }
}
