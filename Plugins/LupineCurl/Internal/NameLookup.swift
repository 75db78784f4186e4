/// What it took to look up a name before the exchange went to the loop.
struct NameLookup: Sendable {
  /// When it began, and with it the exchange.
  let began: UInt64
  let ended: UInt64
  /// What it has left of the time to connect; `nil` sets no bound.
  let connectTimeout: Duration?

  var time: Duration { .nanoseconds(Int64(ended - began)) }
}
