public import HTTPTypes

/// A request as errors and logs show it: the method and the URL without query values.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The URL up to the path; a query is shown as `?…`.
  public let url: String
  /// The query with its values replaced; `nil` if there is no query.
  private let maskedQuery: String?

  /// The URL in a valid form, with `REDACTED` instead of each query value.
  public var maskedURL: String {
    guard let maskedQuery else { return url }
    return url.prefix { $0 != "?" } + "?" + maskedQuery
  }

  /// Creates a summary of a request.
  public init(method: HTTPRequest.Method, url: HTTPURL) {
    self.method = method
    self.url = url.redacted
    maskedQuery = url.query.map { SecretParameters.maskAll($0) }
  }

  /// The method and the URL, on one line.
  public var description: String { "\(method.rawValue) \(url)" }
}

extension HTTPURL {
  /// The URL without the values of its query, which often contain keys, and without its fragment.
  public var redacted: String {
    // Most URLs have no query or fragment, and their text is returned without a copy.
    if Int(pathEnd) == string.utf8.count { return string }
    return root + path + (query == nil ? "" : "?…")
  }

  /// Returns the URL as the server receives it, with the values of secret query parameters replaced.
  ///
  /// The name of a parameter decides whether it is secret. The fragment is removed: it is not sent and may contain a
  /// token.
  ///
  /// - Parameter substitute: returns the replacement for the secret value with this index, from 0.
  public func withoutSecrets(
    by substitute: (Int) -> String = { _ in SecretParameters.replacement }
  ) -> String {
    let target = root + path
    return query.map { "\(target)?\(SecretParameters.redact($0, by: substitute))" } ?? target
  }
}

/// Identifies one request of a session.
///
/// Later requests have greater numbers.
public struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let rawValue: UInt64

  /// Creates an identifier from its number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether the left request was created before the right one.
  public static func < (left: RequestID, right: RequestID) -> Bool { left.rawValue < right.rawValue }

  /// The number with a `#` before it.
  public var description: String { "#\(rawValue)" }
}
