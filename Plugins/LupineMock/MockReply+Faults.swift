import HTTPTypes

extension MockReply {
  /// A fault in place of a response; a fault in the body follows a head with status 200.
  public static func fault(_ fault: NetworkFault) -> MockReply { MockReply.status(.ok).fault(fault) }

  /// No response: nothing arrives until a timeout or a cancellation ends the request.
  public static var stall: MockReply { .fault(.stallBeforeHead) }

  /// A connection that is reset before the head arrives.
  public static var reset: MockReply { .fault(.resetBeforeHead) }

  /// Returns the reply with a fault; the last one that was set counts.
  public func fault(_ fault: NetworkFault) -> MockReply { changing { $0.fault = fault } }

  /// Returns the reply so that it stalls after `count` bytes of its body.
  public func stall(afterBytes count: Int) -> MockReply { fault(.stall(afterBytes: count)) }

  /// Returns the reply so that its connection is reset after `count` bytes of its body.
  public func reset(afterBytes count: Int) -> MockReply { fault(.reset(afterBytes: count)) }

  /// Returns the reply so that its body ends after `count` bytes, fewer than `Content-Length` states.
  public func truncated(afterBytes count: Int) -> MockReply { fault(.truncated(afterBytes: count)) }
}
