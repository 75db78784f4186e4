import HTTPTypes
import LupineCore
import LupineSupport

/// The keys under which the responses of a target URI are stored.
///
/// The value of `Host` is a part of the target URI (RFC 9110 section 7.1): a request whose `Host` differs from its URL
/// has keys of its own. Those keys contain the URL too, because two servers may answer for one name.
struct CacheKey: Sendable, Hashable {
  /// The longest URL in bytes, with a `Host` of its own; a response with a longer one is not stored.
  static let maximumLength = 8 << 10

  /// The key of the URL, without its fragment.
  let exact: String
  /// The key of the URL without its query, for responses with `No-Vary-Search`.
  ///
  /// `*` is no part of an origin, so that no other key begins with it.
  var withoutQuery: String {
    let path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[..<$0]) } ?? target
    return Self.withoutQueryMark + path + ending
  }

  private let target: String
  /// A space, which no URL contains, and the value of `Host`; empty if the request has no `Host` of its own.
  private let ending: String

  /// The keys of a URL; `nil` if it is too long.
  ///
  /// - Parameter fields: the fields of the request. Default: none.
  init?(_ url: HTTPURL, _ fields: HTTPFields = [:]) {
    target = url.absoluteTarget
    ending = Self.ownHost(of: url, fields).map { " " + $0 } ?? ""
    exact = ending.isEmpty ? target : target + ending
    guard exact.utf8.count <= Self.maximumLength else { return nil }
  }

  /// The values of `Host`, if they name another authority than the URL.
  private static func ownHost(of url: HTTPURL, _ fields: HTTPFields) -> String? {
    guard fields.contains(.host) else { return nil }
    let values = fields[values: .host].map { value in
      (try? HTTPURL("\(url.scheme.rawValue)://\(value)/"))?.authority ?? value.lowercased()
    }
    return values == [url.authority] ? nil : values.joined(separator: ",")
  }

  /// The beginning of keys without a query.
  private static let withoutQueryMark = "* "

  /// Whether a key is one without a query.
  static func isWithoutQuery(_ key: String) -> Bool { key.hasPrefix(withoutQueryMark) }

  /// All keys.
  var all: [String] { [exact, withoutQuery] }
}
