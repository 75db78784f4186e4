import LupineCore

/// What proves connections, and to whom.
struct ScopedConnectionCredential: Sendable {
  var credential: ConnectionCredential
  var scope: CredentialScope
}
