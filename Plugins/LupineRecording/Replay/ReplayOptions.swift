/// The options of a replay.
public struct ReplayOptions: Sendable {
  /// The rules by which secrets were replaced when the cassette was recorded; live requests are treated alike.
  ///
  /// Default: those of every recording.
  public var redaction = Redaction()
  /// The parts of a request that decide which exchange answers it.
  ///
  /// Default: the method, the URL and the query.
  public var matching = CassetteMatching.standard
  /// The factor of the recorded times: 1 plays at the recorded pace, and 0 without waiting.
  ///
  /// Default: 1.
  public var pace = 1.0
  /// Whether dates in responses move with the session's date.
  ///
  /// Default: they move, but not on a virtual clock, where the session's date begins with the recording.
  public var dates = ReplayedDates.moved
  /// Whether the last exchange that matches a request answers all later equal requests, too.
  ///
  /// Default: `false`. Each exchange answers one request.
  public var isRepeating = false
  /// The test for the option `--filter` of `swift test`, which an error shows in the command that records it.
  ///
  /// Default: none.
  public var filter: String?

  /// Creates the default options.
  public init() {}
}

/// Whether the dates of recorded responses move with the session's date.
public enum ReplayedDates: Sendable, Hashable {
  /// `Date`, `Expires`, the dates of cookies and of `Retry-After` move by the time between the recording and the replay of
  /// the exchange, in whole seconds. On a virtual clock without a date of the builder (`now(_:)`) that time is zero.
  case moved
  /// All dates are those of the recording.
  case asRecorded
}
