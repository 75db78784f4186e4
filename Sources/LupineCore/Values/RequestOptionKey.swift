/// The key of an option that a plugin adds to requests.
///
/// A program sets the option on a request; adapters, interceptors and layers read it. It survives redirects
/// and retries, and is never sent to the server.
///
///     enum CacheMode: RequestOptionKey {
///       case normal, bypass
///       static var defaultValue: CacheMode { .normal }
///     }
///
///     session.request("users").option(CacheMode.self, .bypass)  // the program
///     request.options[CacheMode.self]                           // the layer
public protocol RequestOptionKey {
  /// The type of the option's value.
  associatedtype Value: Sendable

  /// The value for a request that does not set the option.
  static var defaultValue: Value { get }

  /// Whether a redirect to another origin keeps the value.
  ///
  /// Return `false` for a value that concerns one server alone, such as a credential. The key must always return the
  /// same answer.
  ///
  /// Default: `true`.
  static var isKeptAcrossOrigins: Bool { get }
}

extension RequestOptionKey {
  /// Returns `true`.
  public static var isKeptAcrossOrigins: Bool { true }
}

/// Values of any types, each stored under the type of its key.
///
/// The description shows no values, which may be secret.
@usableFromInline
struct KeyedValues: Sendable, HidesSecrets {
  /// An array, because a search among few values is faster than a dictionary.
  private var values: [Pair] = []

  private struct Pair: Sendable {
    let key: Any.Type
    let value: any Sendable
  }

  @usableFromInline
  init() {}

  var isEmpty: Bool { values.isEmpty }
  /// The types of the keys that are set.
  var keys: [Any.Type] { values.map(\.key) }
  @usableFromInline var description: String { "\(values.count) values" }

  /// The value of a key; `nil` if it is not set or has another type.
  @usableFromInline
  func value<Value: Sendable>(of key: Any.Type, as type: Value.Type) -> Value? {
    // Unwrapped first: a cast of `nil` to an optional type would succeed.
    guard let value = values.first(where: { $0.key == key })?.value else { return nil }
    return value as? Value
  }

  /// Sets the value of a key; `nil` removes it.
  // Not generic over the value: a generic function would look up the optional type at each call.
  @usableFromInline
  mutating func set(_ value: (any Sendable)?, for key: Any.Type) {
    if !values.isEmpty { values.removeAll { $0.key == key } }
    if let value { values.append(Pair(key: key, value: value)) }
  }
}
