/// Why certificates, keys or revocation lists could not be read.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What could not be read, and why.
  public let description: String

  /// Says what could not be read.
  public init(_ description: String) { self.description = description }
}
