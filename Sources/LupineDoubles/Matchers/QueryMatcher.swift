public import LupineCore

/// Expects items in the query.
struct QueryMatcher: RequestMatcher {
  let items: [ParameterItem]
  /// Whether further items are refused.
  let isExact: Bool

  var expectation: String {
    "query \(isExact ? "exactly " : "")\(items.map(\.description).joined(separator: "&"))"
  }

  var readsBody: Bool { false }

  func difference(from request: RequestSnapshot) -> String? {
    let found = ParameterItem.items(of: request.url)
    return ParameterItem.differences(expected: items, found: found, isExact: isExact).joinedDifferences("query ")
  }
}

extension ParameterItem {
  /// Returns the missing items, and with `isExact` the additional ones; the order does not count.
  static func differences(expected: [ParameterItem], found: [ParameterItem], isExact: Bool) -> [String] {
    var surplus = found
    var missing: [ParameterItem] = []
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

  private static func missing(_ item: ParameterItem, among found: [ParameterItem]) -> String {
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
    RequestCondition(QueryMatcher(items: [ParameterItem(name: name, value: value)], isExact: false))
  }

  /// The query has exactly these items, in any order.
  public static func query(exactly items: [String: String]) -> RequestCondition {
    .query(exactly: items.sorted { $0.key < $1.key }.map { ParameterItem(name: $0.key, value: $0.value) })
  }

  /// The query has exactly these items, of which several may have one name, in any order.
  public static func query(exactly items: [ParameterItem]) -> RequestCondition {
    RequestCondition(QueryMatcher(items: items, isExact: true))
  }
}
