/// The reaction of a ``ScriptedServer`` to one request: steps, and what happens to the connection afterwards.
///
/// An array literal of steps is a reply, too.
public struct ScriptedReply: Sendable {
  /// The fate of the connection after the last step: it stays open or ends.
  public enum Connection: Sendable, Hashable {
    /// The connection stays open if HTTP allows it (RFC 9112 section 9.3).
    ///
    /// The client must not have asked for its end, the response must have a definite end, and the request must have
    /// been read completely.
    case automatic
    /// The connection stays open, and the next bytes are read as a request.
    case keep
    /// The connection is closed.
    case close
  }

  /// The steps, in order.
  public var steps: [Step]
  /// Whether the connection stays open after the steps.
  public var connection: Connection

  /// Creates a reply from steps.
  public init(_ steps: [Step], connection: Connection = .automatic) {
    self.steps = steps
    self.connection = connection
  }

  /// Returns the reply with more steps before it.
  public func preceded(by steps: Step...) -> Self {
    Self(steps + self.steps, connection: connection)
  }

  /// Returns the reply with more steps after it.
  public func followed(by steps: Step...) -> Self {
    Self(self.steps + steps, connection: connection)
  }
}

extension ScriptedReply: ExpressibleByArrayLiteral {
  /// Creates a reply from a literal of steps.
  public init(arrayLiteral elements: Step...) {
    self.init(elements)
  }
}

extension ScriptedReply {
  /// One step of a script.
  ///
  /// Consecutive steps share one write if their bytes are few. A step that waits, reads, signals or ends the connection
  /// first sends all earlier bytes.
  public enum Step: Sendable {
    /// The head of the final response; without a `reason` it has the standard reason phrase.
    ///
    /// No field is added: a body needs a `Content-Length` or a `Transfer-Encoding`.
    case head(status: Int, reason: String? = nil, fields: RawFields = [:])
    /// An interim response (1xx) with its empty line.
    case informational(status: Int, fields: RawFields = [:])
    /// Any bytes, without changes.
    case raw([UInt8])
    /// Content whose length the head states; omitted in the response to HEAD.
    case body([UInt8])
    /// One chunk of a chunked body, with extensions such as `;name=value`; omitted in the response to HEAD.
    case chunk([UInt8], extensions: String = "")
    /// The last chunk, the trailers and the empty line; omitted in the response to HEAD.
    case endChunks(trailers: RawFields = [:])
    /// The same bytes repeatedly, in constant memory; without a `count`, until the client closes the connection.
    case `repeat`([UInt8], count: Int? = nil)
    /// Any bytes, each in a separate write.
    ///
    /// The client may still receive several in one read; put ``wait(_:)`` between bytes that must arrive separately.
    case drip([UInt8])
    /// Reads the request's body to its end, or at most `upTo` more bytes; first answers `Expect: 100-continue`.
    ///
    /// Use it only with a server that does not read bodies itself; otherwise the body has been read already.
    case readBody(upTo: Int? = nil)
    /// Waits until the gate is open; the connection ends if the client closes it or the server stops before.
    case wait(Gate)
    /// Opens a gate after all earlier bytes have been sent.
    case signal(Gate)
    /// Ends the connection with a TCP reset, after the client's kernel has received all earlier bytes.
    case reset
    /// Ends the connection in an orderly way, even if the request has not been read to its end.
    case close
    /// Sends nothing more and ignores received bytes, until the client closes the connection or the server stops.
    case stall

    /// Reads the request's body to its end.
    public static var readBody: Step { .readBody(upTo: nil) }

    /// Any text in UTF-8, without changes.
    public static func raw(text: String) -> Step { .raw(Array(text.utf8)) }
  }
}

/// The content of a ``ScriptedReply``.
public struct ScriptedBody: Sendable, Hashable {
  /// The bytes.
  public let bytes: [UInt8]

  /// No content; the reply still contains `Content-Length: 0` if its status allows that.
  public static let none = ScriptedBody(bytes: [])

  /// The given bytes.
  public static func bytes(_ bytes: [UInt8]) -> Self { Self(bytes: bytes) }

  /// A text in UTF-8.
  public static func text(_ text: String) -> Self { Self(bytes: Array(text.utf8)) }

  /// One byte, repeated; for bodies too large for memory use ``ScriptedReply/Step/repeat(_:count:)``.
  public static func filler(_ count: Int, byte: UInt8 = 0x61) -> Self {
    Self(bytes: [UInt8](repeating: byte, count: count))
  }
}

extension ScriptedReply {
  /// A complete response with a `Content-Length`, except for 1xx, 204 and 304.
  ///
  /// If `fields` contain a `Content-Length` or a `Transfer-Encoding`, no field is added.
  public static func respond(status: Int = 200, fields: RawFields = [:], body: ScriptedBody = .none) -> Self {
    var fields = fields
    let isFramed = fields["Content-Length"] != nil || fields["Transfer-Encoding"] != nil
    if !isFramed, allowsContent(status) { fields.append("Content-Length", String(body.bytes.count)) }
    return [.head(status: status, fields: fields), .body(body.bytes)]
  }

  /// A complete response with a JSON text, which is not validated, and its `Content-Type`.
  public static func json(_ text: String, status: Int = 200) -> Self {
    respond(status: status, fields: ["Content-Type": "application/json"], body: .text(text))
  }

  /// A complete chunked response, with one chunk for each array.
  ///
  /// An empty array is omitted, because it would end the body.
  public static func chunked(
    status: Int = 200, fields: RawFields = [:], _ chunks: [[UInt8]], trailers: RawFields = [:]
  ) -> Self {
    var fields = fields
    fields.append("Transfer-Encoding", "chunked")
    let pieces = chunks.filter { !$0.isEmpty }.map { Step.chunk($0) }
    return Self([.head(status: status, fields: fields)] + pieces + [.endChunks(trailers: trailers)])
  }

  /// A complete response with `bytes`, repeated `count` times, in constant memory.
  public static func repeating(_ bytes: [UInt8], count: Int, fields: RawFields = [:]) -> Self {
    var fields = fields
    fields.append("Content-Length", String(bytes.count * count))
    return [.head(status: 200, fields: fields), .repeat(bytes, count: count)]
  }

  /// A response whose body ends with the connection.
  public static func untilClose(status: Int = 200, fields: RawFields = [:], body: ScriptedBody) -> Self {
    Self([.head(status: status, fields: fields), .body(body.bytes)], connection: .close)
  }

  /// A reply with bytes after its end, sent at once or after a gate opens; the connection stays open.
  ///
  /// A client must not treat them as the response to its next request.
  public static func surplusAfter(_ reply: ScriptedReply, _ bytes: [UInt8], gate: Gate? = nil) -> Self {
    let pause = gate.map { [Step.wait($0)] } ?? []
    return Self(reply.steps + pause + [.raw(bytes)], connection: .keep)
  }
}

private func allowsContent(_ status: Int) -> Bool {
  status >= 200 && status != 204 && status != 304
}
