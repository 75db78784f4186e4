extension OutgoingRequest {
  /// Who goes first where requests wait for a connection.
  ///
  /// A hint for what waits; a request that is under way is not held back.
  public enum Priority: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// After all others, as a prefetch.
    case low
    /// In the order of the requests' coming.
    case normal
    /// Before all others, as what a person waits for.
    case high

    /// Compares how soon they go.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
}
