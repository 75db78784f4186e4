public import LupineCore

/// The keys of an account at Amazon Web Services, or at a service that takes the same signatures.
///
/// Its description hides the secret.
public struct AmazonCredential: Sendable, Hashable, HidesSecrets {
  /// The public half, such as `AKIDEXAMPLE`.
  public let accessKeyID: String
  /// The secret half; it is never sent.
  public let secretAccessKey: String
  /// The token of temporary keys; it is sent with each request.
  public let sessionToken: String?

  /// Joins the keys.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }

  /// The public half alone.
  public var description: String { "AmazonCredential(\(accessKeyID))" }
}
