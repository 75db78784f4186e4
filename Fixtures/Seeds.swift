import FoundationEssentials

/// Where tests that draw begin to count their seeds.
public enum Seeds {
  /// The number in `LUPINE_SEED`, by default 0, so that every run of the tests draws the same.
  ///
  /// `make soak` gives another one in each round; a round that fails is repeated by giving its number again.
  public static let first: UInt64 = ProcessInfo.processInfo.environment["LUPINE_SEED"].flatMap(UInt64.init) ?? 0
}
