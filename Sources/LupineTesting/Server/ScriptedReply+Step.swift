extension ScriptedReply {
  /// One step of a script.
  ///
  /// Bytes of neighbouring steps go out in one write where they are small; a step that waits, reads, signals or ends the
  /// connection first hands everything before it to the kernel.
  public enum Step: Sendable {
    /// The head of the final response; without a `reason` the usual phrase stands in it.
    ///
    /// No field is added: a body needs its `Content-Length` or `Transfer-Encoding`.
    case head(status: Int, reason: String? = nil, fields: RawFields = [:])
    /// An interim response (1xx) with its empty line.
    case informational(status: Int, fields: RawFields = [:])
    /// Bytes as they are, whatever they are.
    case raw([UInt8])
    /// Content whose length the head has given; left out in answer to HEAD.
    case body([UInt8])
    /// One chunk of a chunked body, with extensions as in `;name=value`; left out in answer to HEAD.
    case chunk([UInt8], extensions: String = "")
    /// The last chunk, the trailers and the empty line; left out in answer to HEAD.
    case endChunks(trailers: RawFields = [:])
    /// The same bytes again and again without memory for all of them; without a `count` until the client closes.
    case `repeat`([UInt8], count: Int? = nil)
    /// Bytes as they are, each in a write of its own.
    ///
    /// The kernel may still hand several to a slow reader at once; put ``wait(_:)`` between bytes that must stay apart.
    case drip([UInt8])
    /// Reads the request's body to its end, or at most so many bytes more of it; first answers `Expect: 100-continue`.
    ///
    /// Only for a server that does not read bodies by itself; otherwise there is nothing left to read.
    case readBody(upTo: Int? = nil)
    /// Goes on when the gate is open; the connection ends when the client closes or the server stops before.
    case wait(Gate)
    /// Opens a gate once the kernel has taken everything before.
    case signal(Gate)
    /// Ends the connection with a TCP reset, after the client's kernel has received everything before.
    case reset
    /// Ends the connection in order, also when the request has not been read to its end.
    case close
    /// Sends nothing more and ignores what comes, until the client closes or the server stops.
    case stall

    /// Reads the request's body to its end.
    public static var readBody: Step { .readBody(upTo: nil) }

    /// A text in UTF-8 as it is, whatever it is.
    public static func raw(text: String) -> Step { .raw(Array(text.utf8)) }
  }
}
