import HTTPTypes

/// Plays one reply: performs its steps, and keeps or closes the connection.
final class ScriptPlayer {
  private let content: RequestContent
  private let loop: ConnectionLoop
  private var output: [UInt8] = []
  private var persistence: ResponsePersistence

  init(content: RequestContent, loop: ConnectionLoop) {
    self.content = content
    self.loop = loop
    persistence = ResponsePersistence(content.request)
  }

  /// Performs the steps; returns whether the connection can serve another request.
  func play(_ reply: ScriptedReply) throws(ConnectionEnd) -> Bool {
    for step in reply.steps {
      guard try perform(step) else { return false }
    }
    try flush()
    switch reply.connection {
    case .keep: return true
    case .automatic where persistence.allowsNext && content.request.isBodyComplete: return true
    case .automatic, .close: return close()
    }
  }

  /// Performs one step; returns `false` if it has ended the connection.
  private func perform(_ step: ScriptedReply.Step) throws(ConnectionEnd) -> Bool {
    switch step {
    case .head(let status, let reason, let fields):
      persistence.apply(status: status, fields: fields)
      try write(head(status, reason, fields))
    case .informational(let status, let fields): try write(head(status, nil, fields))
    case .raw(let bytes): try write(bytes)
    case .body(let bytes): try writeContent(bytes)
    case .chunk(let bytes, let extensions): try writeContent(chunk(bytes, extensions))
    case .endChunks(let trailers): try writeContent(Array("0\r\n".utf8) + lines(trailers) + [13, 10])
    case .repeat(let bytes, let count): try repeatBytes(bytes, count)
    case .drip(let bytes): try drip(bytes)
    default: return try flushAndPerform(step)
    }
    return true
  }

  /// Performs a step that does not write.
  private func flushAndPerform(_ step: ScriptedReply.Step) throws(ConnectionEnd) -> Bool {
    try flush()
    switch step {
    case .readBody(let limit): try readBody(upTo: limit)
    case .wait(let gate): try wait(for: gate)
    case .signal(let gate): gate.open()
    case .reset:
      loop.socket.reset()
      return false
    case .stall:
      loop.socket.discardUntilEnd()
      return false
    default: return close()
    }
    return true
  }

  private func readBody(upTo limit: Int?) throws(ConnectionEnd) {
    defer { loop.server.update(content.request) }
    try content.read(upTo: limit ?? .max)
  }

  private func wait(for gate: Gate) throws(ConnectionEnd) {
    let isOpen = try? gate.state.block(hangup: loop.socket.descriptor) { $0 }
    guard isOpen == true else { throw .gone }
  }

  /// Closes the connection in an orderly way.
  ///
  /// A close with unread bytes would send a reset, which could discard the response at the client.
  private func close() -> Bool {
    loop.socket.finishSending()
    if !content.request.isBodyComplete || loop.socket.hasUnreadBytes { loop.socket.discardUntilEnd() }
    loop.socket.close()
    return false
  }
}

/// Buffered output.
extension ScriptPlayer {
  private func write(_ bytes: [UInt8]) throws(ConnectionEnd) {
    output += bytes
    if output.count >= 65_536 { try flush() }
  }

  private func writeContent(_ bytes: [UInt8]) throws(ConnectionEnd) {
    if content.request.method != .head { try write(bytes) }
  }

  private func flush() throws(ConnectionEnd) {
    guard !output.isEmpty else { return }
    try loop.socket.send(output)
    output.removeAll(keepingCapacity: true)
  }

  private func repeatBytes(_ bytes: [UInt8], _ count: Int?) throws(ConnectionEnd) {
    guard !bytes.isEmpty else { return }
    var left = count ?? .max
    while left > 0 {
      try write(bytes)
      if count != nil { left -= 1 }
    }
  }

  private func drip(_ bytes: [UInt8]) throws(ConnectionEnd) {
    try flush()
    for byte in bytes { try loop.socket.send([byte]) }
  }
}

private func head(_ status: Int, _ reason: String?, _ fields: RawFields) -> [UInt8] {
  let known = reasonPhrases[status] ?? ""
  return Array("HTTP/1.1 \(status) \(reason ?? known)\r\n".utf8) + lines(fields) + [13, 10]
}

private func lines(_ fields: RawFields) -> [UInt8] {
  fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
}

private func chunk(_ bytes: [UInt8], _ extensions: String) -> [UInt8] {
  Array("\(String(bytes.count, radix: 16))\(extensions)\r\n".utf8) + bytes + [13, 10]
}

/// Whether another request may follow on the connection (RFC 9112 sections 6.3 and 9.3).
struct ResponsePersistence {
  private(set) var allowsNext: Bool
  private let isOldVersion: Bool
  private let hasNoContent: Bool

  init(_ request: ReceivedHTTPRequest) {
    isOldVersion = request.version == "HTTP/1.0"
    hasNoContent = request.method == .head
    allowsNext =
      isOldVersion
      ? request.fields.contains(token: "keep-alive", in: "Connection")
      : !request.fields.contains(token: "close", in: "Connection")
  }

  /// Applies the head of the final response.
  mutating func apply(status: Int, fields: RawFields) {
    let isEmpty = hasNoContent || status == 204 || status == 304
    let isFramed = fields["Content-Length"] != nil || fields.contains(token: "chunked", in: "Transfer-Encoding")
    let closes = fields.contains(token: "close", in: "Connection")
    let isKeptAlive = !isOldVersion || fields.contains(token: "keep-alive", in: "Connection")
    if !(isEmpty || isFramed) || closes || !isKeptAlive { allowsNext = false }
  }
}

/// The reason phrases of the IANA registry of status codes; other status codes have an empty phrase.
let reasonPhrases: [Int: String] = [
  100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
  200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
  205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
  300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
  307: "Temporary Redirect", 308: "Permanent Redirect",
  400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
  405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
  409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
  414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
  421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required",
  428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
  500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
  504: "Gateway Timeout", 505: "HTTP Version Not Supported", 511: "Network Authentication Required",
]
