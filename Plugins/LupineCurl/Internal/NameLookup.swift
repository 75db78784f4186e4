/// The times of a name lookup that ran before the exchange entered the loop.
struct NameLookup: Sendable {
  /// When the lookup, and with it the exchange, began.
  let began: UInt64
  let ended: UInt64
  /// The connect timeout that remains after the lookup; `nil` for no limit.
  let connectTimeout: Duration?

  var time: Duration { .nanoseconds(Int64(ended - began)) }
}
