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
