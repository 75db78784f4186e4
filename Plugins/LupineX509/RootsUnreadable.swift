/// The error for root certificates that cannot be read.
public struct RootsUnreadable: Error {
  /// The reason.
  public let description: String
}
