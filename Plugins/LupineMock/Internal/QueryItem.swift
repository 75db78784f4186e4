import LupineCore

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
