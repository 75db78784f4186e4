public import HTTPTypes

/// A request as errors and logs show it: the method and the URL without its query's values.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
  /// The request's method.
  public let method: HTTPRequest.Method
  /// The URL up to the path; a query is shown as `?…`.
  public let url: String
  /// The query's names, their values replaced; `nil` where there is no query.
  private let maskedQuery: String?

  /// The URL as a machine reads it: in the place of each of its query's values stands `REDACTED`.
  public var maskedURL: String {
    guard let maskedQuery else { return url }
    return url.prefix { $0 != "?" } + "?" + maskedQuery
  }

  /// Summarises a request.
  public init(method: HTTPRequest.Method, url: HTTPURL) {
    self.method = method
    self.url = url.redacted
    maskedQuery = url.query.map { SecretParameters.maskAll($0) }
  }

  /// The method and the URL, on one line.
  public var description: String { "\(method.rawValue) \(url)" }
}

extension HTTPURL {
  /// The URL without the values of its query, which often hold keys.
  package var redacted: String {
    // Most URLs end with their path, and their text can be shared as it is.
    if Int(pathEnd) == string.utf8.count { return string }
    return root + path + (query == nil ? "" : "?…")
  }

  /// The URL as the server sees it, with the values replaced of the query's parameters whose names say that they are
  /// secret.
  ///
  /// Without the fragment, which is not sent and may hold a token.
  ///
  /// - Parameter substitute: what stands for the value of the first of them, of the second and so on, from 0.
  public func withoutSecrets(
    by substitute: (Int) -> String = { _ in SecretParameters.replacement }
  ) -> String {
    let target = root + path
    return query.map { "\(target)?\(SecretParameters.redact($0, by: substitute))" } ?? target
  }
}

/// Names one request of a session; later requests have greater numbers.
public struct RequestID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let rawValue: UInt64

  /// Wraps a number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether one request was made before the other.
  public static func < (left: RequestID, right: RequestID) -> Bool { left.rawValue < right.rawValue }

  /// The number after a `#`.
  public var description: String { "#\(rawValue)" }
}
