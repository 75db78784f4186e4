/// Why a store could not be filled.
public struct RootsUnreadable: Error {
  /// The reason.
  public let description: String
}
