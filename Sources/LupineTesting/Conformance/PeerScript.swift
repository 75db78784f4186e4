public import LupineMock

/// What a ``ConformancePeer`` does with the requests of one check.
public struct PeerScript: Sendable {
  /// What befalls every request in place of an answer; `nil` where there is one.
  public var fault: NetworkFault?
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

  /// A script in which a fault befalls every request; one in the body is of the text `hello`.
  public init(_ fault: NetworkFault) {
    self.fault = fault
    readsBody = true
    holdsHead = false
    reply = { _ in .response(PeerResponse()) }
  }
}

/// What a peer does with one request.
public enum PeerReply: Sendable {
  /// A response, which may break off.
  case response(PeerResponse)
  /// The connection ends without a byte of an answer.
  case end(PeerEnding)
  /// Bytes and steps that only a connection can carry; checks that use it need `networking`.
  case wire(ScriptedReply)
}

/// How a peer's reply ends.
public enum PeerEnding: Sendable, Hashable {
  /// As its framing says.
  case complete
  /// In order, but before its time.
  case close
  /// With a reset.
  case reset
}

/// A response that a server on loopback and a mock can both give.
public struct PeerResponse: Sendable {
  /// How the body's end is told.
  public enum Framing: Sendable, Hashable {
    /// By the length of all that the steps yield, or by this one.
    case length(Int? = nil)
    /// By chunks.
    case chunked
    /// By the end of the connection.
    case untilClose
    /// The status or the method has no body, and the fields are all there is.
    case none
  }

  /// One part of a body, or of what comes before the head.
  public enum Step: Sendable {
    /// Content.
    case bytes([UInt8])
    /// The same content again and again.
    case repeated([UInt8], count: Int)
    /// Goes on when the gate is open.
    case wait(Gate)
    /// Opens a gate.
    case signal(Gate)
  }

  /// What happens before the head: waits and signals.
  public var before: [Step] = []
  /// Interim responses: their status and fields.
  public var informational: [(status: Int, fields: RawFields)] = []
  /// The status.
  public var status = 200
  /// The reason phrase; `nil` stands for the usual one.
  public var reason: String?
  /// The fields, without those that frame the body.
  public var fields: RawFields = [:]
  /// How the body's end is told.
  public var framing = Framing.length()
  /// The body.
  public var body: [Step] = []
  /// The trailers of a chunked body.
  public var trailers: RawFields = [:]
  /// How it ends.
  public var ending = PeerEnding.complete

  /// A response of status 200 without content.
  public init() {}

  /// The content's length as far as the steps yield it.
  public var byteCount: Int {
    body.reduce(0) { sum, step in
      switch step {
      case .bytes(let bytes): sum + bytes.count
      case .repeated(let bytes, let count): sum + bytes.count * count
      case .wait, .signal: sum
      }
    }
  }
}
