/// The error for certificates, keys or revocation lists that cannot be read.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The item that cannot be read, and the reason.
  public let description: String

  /// Creates an error with this description.
  public init(_ description: String) { self.description = description }
}
