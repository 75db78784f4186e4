import LupineCore
public import LupineSession

/// Installs the authentication schemes that need no configuration: the Digest scheme.
///
/// Each request supplies its credential with `authenticate(with:)` or `onChallenge`.
public struct Authentication: Plugin {
  /// Creates the plugin.
  public init() {}

  /// Adds the schemes to the builder.
  public func install(in builder: inout Session.Builder) { builder = builder.authenticationScheme(.digest) }
}

extension Plugin where Self == Authentication {
  /// The Digest scheme.
  public static var authentication: Authentication { Authentication() }
}
