import FoundationEssentials

/// The seeds of tests that use random numbers.
public enum Seeds {
  /// The first seed: the number in `LUPINE_SEED`, by default 0, so that every run uses the same random numbers.
  ///
  /// `make soak` sets another number in each round. The number of a failed round repeats that round.
  public static let first: UInt64 = ProcessInfo.processInfo.environment["LUPINE_SEED"].flatMap(UInt64.init) ?? 0
}
