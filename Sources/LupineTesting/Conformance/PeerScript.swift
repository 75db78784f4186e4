public import LupineMock

/// What a ``ConformancePeer`` does with the requests of one check.
public struct PeerScript: Sendable {
  /// What befalls every request in place of an answer; `nil` where there is one.
  public var fault: NetworkFault?
  /// The frames that answer the first request of each HTTP/2 connection; checks that use them need `networking`.
  var frames: [UInt8]?
  /// Whether requests are read whole before they are answered; without that a reply reads what it wants.
  public var readsBody: Bool
  /// Whether a reply has steps before its head; without that they are left out where there is no wire.
  public var holdsHead: Bool
  /// What each request is answered with; called from any thread, and must not block.
  public var reply: @Sendable (PeerRequest) -> PeerReply

  /// A script that answers.
  public init(
    readsBody: Bool = true, holdsHead: Bool = false, reply: @escaping @Sendable (PeerRequest) -> PeerReply
  ) {
    self.readsBody = readsBody
    self.holdsHead = holdsHead
    self.reply = reply
  }

  /// A script of HTTP/2 without TLS, frame by frame.
  init(frames: [UInt8]) {
    self.init { _ in .end(.close) }
    self.frames = frames
  }

  /// A script in which a fault befalls every request; one in the body is of the text `hello`.
  public init(_ fault: NetworkFault) {
    self.fault = fault
    readsBody = true
    holdsHead = false
    reply = { _ in .response(PeerResponse()) }
  }
}
