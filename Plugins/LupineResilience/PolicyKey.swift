public import LupineCore

/// The exchanges that share one circuit, one limit or one queue of a policy.
///
/// By default they are those with one origin. A gateway has several services behind one origin. There one failing
/// service opens the circuit of all, unless the key distinguishes them.
public struct PolicyKey: Sendable {
  /// The key of one exchange.
  enum Value: Sendable, Hashable, CustomStringConvertible {
    case origin(HTTPURL.Origin)
    case path(HTTPURL.Origin, String)
    case custom(String)

    var description: String {
      switch self {
      case .origin(let origin): origin.description
      case .path(let origin, let path): origin.description + path
      case .custom(let name): name
      }
    }
  }

  /// Whether each origin has a key of its own.
  let isOrigin: Bool
  private let make: @Sendable (OutgoingRequest) -> Value

  private init(isOrigin: Bool = false, _ make: @escaping @Sendable (OutgoingRequest) -> Value) {
    self.isOrigin = isOrigin
    self.make = make
  }

  /// Returns the key of an exchange.
  func value(for request: OutgoingRequest) -> Value { make(request) }

  /// One key for each origin: scheme, host and port.
  public static let origin = PolicyKey(isOrigin: true) { .origin($0.url.origin) }

  /// One key for each origin and the beginning of the path.
  ///
  /// - Parameter segments: the number of segments that count. With 1, the default, `/orders/1` and `/orders/2` share a
  ///   key; with 2, each has its own.
  public static func path(segments: Int = 1) -> PolicyKey {
    PolicyKey { request in
      let parts = request.url.path.split(separator: "/").prefix(max(0, segments))
      return .path(request.url.origin, parts.map { "/\($0)" }.joined())
    }
  }

  /// A key from a closure, such as the name of the service that a field names.
  ///
  /// Exchanges with equal keys belong together even if their origins differ. Errors and events contain the key, so it
  /// must not be a secret. The closure may be called concurrently, and several times for one exchange.
  public static func custom(_ key: @escaping @Sendable (OutgoingRequest) -> String) -> PolicyKey {
    PolicyKey { .custom(key($0)) }
  }
}
