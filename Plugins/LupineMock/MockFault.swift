import HTTPTypes

/// What can go wrong between a client and a server.
public enum MockFault: Sendable, Hashable {
  /// The host's name has no address.
  case hostNotFound
  /// Nobody listens at the port.
  case connectionRefused
  /// There is no route to the host.
  case networkUnreachable
  /// The TLS handshake fails.
  case tlsRefused
  /// The connection is never made: the connect timeout passes.
  case connectionStalled
  /// The connection is reset before the head arrives.
  case resetBeforeHead
  /// The head never arrives: the idle timeout passes.
  case stalledBeforeHead
  /// The connection is reset once so many bytes of the body have arrived, or at the end of a shorter one.
  case reset(afterBytes: Int)
  /// Nothing more arrives once so many bytes of the body have, or at the end of a shorter one.
  case stalled(afterBytes: Int)
  /// The connection is closed in order, but once so many bytes of the body have arrived, fewer than its length says.
  case truncated(afterBytes: Int)
}

extension MockReply {
  /// A fault in place of a response; one in the body follows a head of status 200.
  public static func fault(_ fault: MockFault) -> MockReply { MockReply.status(.ok).fault(fault) }

  /// No answer at all: nothing arrives until a timeout or a cancellation ends the request.
  public static var stall: MockReply { .fault(.stalledBeforeHead) }

  /// A connection that is reset before the head arrives.
  public static var reset: MockReply { .fault(.resetBeforeHead) }

  /// Returns the reply with a fault; the last one given counts.
  public func fault(_ fault: MockFault) -> MockReply { changing { $0.fault = fault } }

  /// Returns the reply with nothing arriving after so many bytes of its body.
  public func stall(afterBytes count: Int) -> MockReply { fault(.stalled(afterBytes: count)) }

  /// Returns the reply with its connection reset after so many bytes of its body.
  public func reset(afterBytes count: Int) -> MockReply { fault(.reset(afterBytes: count)) }

  /// Returns the reply with its body ending after so many bytes, fewer than `Content-Length` says.
  public func truncated(afterBytes count: Int) -> MockReply { fault(.truncated(afterBytes: count)) }
}
