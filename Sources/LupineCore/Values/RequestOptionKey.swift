/// The key of an option that a plugin adds to requests.
///
/// A program sets the option on a request; adapters, interceptors and transport layers read it. It survives redirects
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
