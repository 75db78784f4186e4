public import LupineCore

/// The keys of an account at Amazon Web Services, or at a service with the same signatures.
///
/// The description omits the secret key and the session token.
public struct AmazonCredential: Sendable, Hashable, HidesSecrets {
  /// The public key identifier, such as `AKIDEXAMPLE`.
  public let accessKeyID: String
  /// The secret key, which is never sent.
  public let secretAccessKey: String
  /// The session token of temporary keys, which is sent with each request.
  public let sessionToken: String?

  /// Creates a credential from its keys.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }

  /// The public key identifier only.
  public var description: String { "AmazonCredential(\(accessKeyID))" }
}
