import LupineCore
public import LupineSession

/// Brings to a session what answers challenges by itself: the Digest scheme.
///
/// The credential stands with each request, by `authenticate(with:)` or `onChallenge`.
public struct Authentication: Plugin {
  /// Brings all schemes that need nothing set.
  public init() {}

  /// Adds the schemes to the builder.
  public func install(in builder: inout Session.Builder) { builder = builder.authenticationScheme(.digest) }
}

extension Plugin where Self == Authentication {
  /// The Digest scheme.
  public static var authentication: Authentication { Authentication() }
}
