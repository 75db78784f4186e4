/// How often a credential may be refreshed, so that a server that refuses every one is not asked for ever.
public struct RefreshWindow: Sendable, Hashable {
  /// The time that is looked back on.
  public var interval: Duration
  /// The refreshes that may begin in it; 0 means that the credential is never refreshed.
  public var maximumAttempts: Int

  /// Sets a window.
  ///
  /// Default: 5 refreshes in 30 seconds.
  public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
    self.interval = interval
    self.maximumAttempts = maximumAttempts
  }
}
