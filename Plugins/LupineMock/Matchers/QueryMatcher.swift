public import LupineCore

/// Expects items in the query.
struct QueryMatcher: RequestMatcher {
  let items: [QueryItem]
  /// Whether further items are refused.
  let isExact: Bool

  var expectation: String {
    "query \(isExact ? "exactly " : "")\(items.map(\.description).joined(separator: "&"))"
  }

  func difference(from request: MatchableRequest) -> String? {
    let found = QueryItem.items(of: request.url)
    let difference = QueryItem.difference(expected: items, found: found, isExact: isExact)
    return difference.map { "query \($0)" }
  }
}

extension QueryItem {
  /// What is missing, and what is too much where that counts; the order does not.
  static func difference(expected: [QueryItem], found: [QueryItem], isExact: Bool) -> String? {
    var surplus = found
    for item in expected {
      guard let index = surplus.firstIndex(of: item) else { return missing(item, among: found) }
      surplus.remove(at: index)
    }
    guard isExact, !surplus.isEmpty else { return nil }
    return "\(surplus[0].name): expected no such item, got \(surplus[0])"
  }

  private static func missing(_ item: QueryItem, among found: [QueryItem]) -> String {
    let values = found.filter { $0.name == item.name }.map { $0.value ?? "no value" }
    return "\(item.name): expected \(item.value ?? "no value"), "
      + "got \(values.isEmpty ? "no such item" : values.joined(separator: ", "))"
  }
}

extension RequestCondition {
  /// The query has this item; others may be there too.
  ///
  /// Escapes are undone and `+` is a space.
  ///
  /// - Parameter value: the item's value; `nil` for an item without `=`.
  public static func query(_ name: String, _ value: String?) -> RequestCondition {
    RequestCondition(QueryMatcher(items: [QueryItem(name: name, value: value)], isExact: false))
  }

  /// The query has these items and no others, in any order.
  public static func query(exactly items: [String: String]) -> RequestCondition {
    let items = items.sorted { $0.key < $1.key }.map { QueryItem(name: $0.key, value: $0.value) }
    return RequestCondition(QueryMatcher(items: items, isExact: true))
  }
}
