import LupineCore

/// The keys under which the responses of a URL are stored.
struct CacheKey: Sendable, Hashable {
  /// The longest URL in bytes; a response with a longer one is not stored.
  static let maximumLength = 8 << 10

  /// The key of the URL, without its fragment.
  let exact: String

  /// The keys of a URL; `nil` if it is too long.
  init?(_ url: HTTPURL) {
    exact = url.absoluteTarget
    guard exact.utf8.count <= Self.maximumLength else { return nil }
  }

  /// The key of the URL without its query, for responses with `No-Vary-Search`.
  ///
  /// `*` is no part of an origin, so that no other key begins with it.
  var withoutQuery: String {
    let path = exact.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(exact[..<$0]) } ?? exact
    return Self.withoutQueryMark + path
  }

  /// What keys without a query begin with.
  private static let withoutQueryMark = "* "

  /// Whether a key is one without a query.
  static func isWithoutQuery(_ key: String) -> Bool { key.hasPrefix(withoutQueryMark) }

  /// All keys.
  var all: [String] { [exact, withoutQuery] }
}
