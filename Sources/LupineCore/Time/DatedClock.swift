public import FoundationEssentials

/// A clock that tells the date, too.
///
/// A session whose builder is given one takes its date from it, so that what is dated ends as the clock's time passes:
/// cookies, tokens, certificates, a `Retry-After` with a date.
public protocol DatedClock: Clock where Duration == Swift.Duration {
  /// The date, which moves with the clock's time.
  var date: Date { get }
}
