public import LupineCore
import LupineSupport

/// One item of a query or of a form, decoded.
public struct ParameterItem: Sendable, Hashable, CustomStringConvertible {
  /// The name.
  public let name: String
  /// The value; `nil` for an item without `=`.
  public let value: String?

  /// Creates an item.
  public init(name: String, value: String?) {
    self.name = name
    self.value = value
  }

  /// The item for a report, without the value of a parameter with a secret name.
  public var description: String {
    value.map { "\(name)=\(SecretParameters.isSecret(name) ? SecretParameters.replacement : $0)" } ?? name
  }

  /// The value for a report, without the value of a parameter with a secret name.
  public var shownValue: String {
    guard let value else { return "no value" }
    return SecretParameters.isSecret(name) ? "a secret value, which is not shown" : value
  }

  /// Returns the items of a URL's query, in order.
  public static func items(of url: HTTPURL) -> [ParameterItem] { url.query.map { items(in: $0) } ?? [] }

  /// Returns the items of a text such as `a=1&b=2`, in order; `+` is a space, and invalid UTF-8 is replaced.
  public static func items(in text: String) -> [ParameterItem] {
    text.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return ParameterItem(
        name: parts[0].percentDecoded(plusIsSpace: true),
        value: parts.count > 1 ? parts[1].percentDecoded(plusIsSpace: true) : nil)
    }
  }
}
