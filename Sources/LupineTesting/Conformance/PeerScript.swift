public import LupineMock

/// The reactions of a ``ConformancePeer`` to the requests of one check.
public struct PeerScript: Sendable {
  /// The fault of every request; `nil` if requests are answered.
  public var fault: NetworkFault?
  /// The frames that answer the first request of each HTTP/2 connection; checks that use them need `networking`.
  var frames: [UInt8]?
  /// Whether the peer reads each request completely before it answers; otherwise the reply's steps read the body.
  public var readsBody: Bool
  /// Whether replies have steps before the head; if false, a peer without connections omits such steps.
  public var holdsHead: Bool
  /// Returns the reply to a request; it may be called from any thread and must not block.
  public var reply: @Sendable (PeerRequest) -> PeerReply

  /// Creates a script that answers requests.
  public init(
    readsBody: Bool = true, holdsHead: Bool = false, reply: @escaping @Sendable (PeerRequest) -> PeerReply
  ) {
    self.readsBody = readsBody
    self.holdsHead = holdsHead
    self.reply = reply
  }

  /// Creates a script of HTTP/2 frames without TLS.
  init(frames: [UInt8]) {
    self.init { _ in .end(.close) }
    self.frames = frames
  }

  /// Creates a script with a fault for every request; the body of a response is the text `hello`.
  public init(_ fault: NetworkFault) {
    self.fault = fault
    readsBody = true
    holdsHead = false
    reply = { _ in .response(PeerResponse()) }
  }
}
