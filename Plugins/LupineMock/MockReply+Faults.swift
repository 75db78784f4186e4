import HTTPTypes

extension MockReply {
  /// A fault in place of a response; one in the body follows a head of status 200.
  public static func fault(_ fault: NetworkFault) -> MockReply { MockReply.status(.ok).fault(fault) }

  /// No answer at all: nothing arrives until a timeout or a cancellation ends the request.
  public static var stall: MockReply { .fault(.stallBeforeHead) }

  /// A connection that is reset before the head arrives.
  public static var reset: MockReply { .fault(.resetBeforeHead) }

  /// Returns the reply with a fault; the last one given counts.
  public func fault(_ fault: NetworkFault) -> MockReply { changing { $0.fault = fault } }

  /// Returns the reply with nothing arriving after so many bytes of its body.
  public func stall(afterBytes count: Int) -> MockReply { fault(.stall(afterBytes: count)) }

  /// Returns the reply with its connection reset after so many bytes of its body.
  public func reset(afterBytes count: Int) -> MockReply { fault(.reset(afterBytes: count)) }

  /// Returns the reply with its body ending after so many bytes, fewer than `Content-Length` says.
  public func truncated(afterBytes count: Int) -> MockReply { fault(.truncated(afterBytes: count)) }
}
