import LupineSupport

/// The kind of a structured field (RFC 9651 section 3), which its definition states.
public enum StructuredFieldKind: Sendable, Hashable, CaseIterable {
  /// One value with parameters, such as `Client-Cert`.
  case item
  /// A list, such as `Cache-Status`.
  case list
  /// A dictionary, such as `Priority`.
  case dictionary
}

extension StructuredFieldKind {
  /// Returns the strict serialization (RFC 9651 section 4.1) of a field; `nil` if it violates the grammar of its kind.
  func serialized(_ text: String) -> String? {
    switch self {
    case .item: StructuredItem(text)?.serialized
    case .list: StructuredList(text)?.serialized
    case .dictionary: StructuredDictionary(text)?.serialized
    }
  }
}
