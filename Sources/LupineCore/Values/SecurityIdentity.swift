/// What two exchanges must have in common to share a connection.
///
/// A connection is never used across two identities, even where two sessions share one transport.
public struct SecurityIdentity: Sendable, Hashable {
  /// The trust policy that judged the connection's certificates; every policy made has a number of its own.
  public var trustPolicy: UInt64?
  /// The file of root certificates in PEM that is trusted instead of the system's.
  public var certificateAuthorities: String?

  /// The identity of a session that sets nothing of the kind.
  public init(trustPolicy: UInt64? = nil, certificateAuthorities: String? = nil) {
    self.trustPolicy = trustPolicy
    self.certificateAuthorities = certificateAuthorities
  }
}
