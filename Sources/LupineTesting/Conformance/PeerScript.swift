public import LupineDoubles

/// The reactions of a ``ConformancePeer`` to the requests of one check.
public struct PeerScript: Sendable {
  /// The fault of every request; `nil` if requests are answered.
  public var fault: NetworkFault?
  /// The frames that answer the first request of each HTTP/2 connection; checks that use them need `networking`.
  var frames: [UInt8]?
  /// Whether the peer sends 100 Continue before it reads a body that waits; false needs `networking`.
  var answersContinue = true
  /// Whether the peer reads each request completely before it answers; otherwise the reply's steps read the body.
  public var readsBody: Bool
  /// Whether replies have steps before the head; if false, a peer without connections omits such steps.
  public var holdsHead: Bool
  /// Returns the reply to a request; it may be called from any thread and must not block.
  public var reply: @Sendable (PeerRequest) -> PeerReply

  /// Creates a script that answers requests; `reply` may be called from any thread and must not block.
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

/// A request that a peer received.
public struct PeerRequest: Sendable {
  /// The method.
  public var method: String
  /// The path with its query, as sent.
  public var target: String
  /// The fields in their order; a peer without connections does not receive the fields that a transport adds.
  public var fields: RawFields
  /// The received part of the content, after the chunked coding is removed.
  public var body: [UInt8]
  /// Whether the content was read to its end.
  public var isBodyComplete: Bool
  /// The number of the request on the peer, from 0.
  public var number: Int
  /// The number of the request on its connection, from 0; always 0 for a peer without connections.
  public var index: Int

  /// Creates a request.
  public init(
    method: String, target: String, fields: RawFields, body: [UInt8], isBodyComplete: Bool = true, number: Int,
    index: Int = 0
  ) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
    self.isBodyComplete = isBodyComplete
    self.number = number
    self.index = index
  }
}

/// A peer's reaction to one request.
public enum PeerReply: Sendable {
  /// A response, which may end too early.
  case response(PeerResponse)
  /// The connection ends before any byte of a response.
  case end(PeerEnding)
  /// Bytes and steps that require a connection; checks that use this case need `networking`.
  case wire(ScriptedReply)
}

/// The way in which a peer's reply ends.
public enum PeerEnding: Sendable, Hashable {
  /// The reply is complete according to its framing.
  case complete
  /// The connection closes in an orderly way before the end of the reply.
  case close
  /// The connection is reset before the end of the reply.
  case reset
}
