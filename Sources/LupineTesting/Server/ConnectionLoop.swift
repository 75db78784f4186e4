/// Serves the requests of one connection in sequence, on its own thread.
struct ConnectionLoop {
  let number: Int
  let socket: ConnectionSocket
  let server: ServerState
  let reader: SocketReader

  init(number: Int, socket: ConnectionSocket, server: ServerState) {
    self.number = number
    self.socket = socket
    self.server = server
    reader = SocketReader(socket: socket)
  }

  /// Returns after the end of the connection, with its socket closed.
  func run() {
    defer { socket.close() }
    if let greeting = server.configuration.greeting { return greet(greeting) }
    if let frames = server.configuration.frames { return answer(frames) }
    var index = 0
    do {
      while try serve(index) { index += 1 }
    } catch {
      report(error, index: index)
    }
  }

  /// Sends the greeting after the client's first bytes, and waits until the client closes the connection.
  private func greet(_ greeting: [UInt8]) {
    guard let first = try? socket.receive(upTo: 65_536), !first.isEmpty else { return }
    try? socket.send(greeting)
    socket.discardUntilEnd()
  }

  /// Sends the frames after the HEADERS of an HTTP/2 client (RFC 9113 section 3.4), and waits until it closes.
  private func answer(_ frames: [UInt8]) {
    do throws(ConnectionEnd) {
      try socket.send(HTTP2Frames.settings)
      _ = try reader.read(exactly: 24)
      while true {
        let head = try reader.read(exactly: 9)
        _ = try reader.read(exactly: head[..<3].reduce(0) { $0 << 8 | Int($1) })
        if head[3] == HTTP2Frames.headers { break }
      }
      try socket.send(frames)
    } catch {
      return
    }
    socket.finishSending()
    socket.discardUntilEnd()
  }

  /// Serves one request; returns whether another one may follow.
  private func serve(_ index: Int) throws(ConnectionEnd) -> Bool {
    guard let bytes = try reader.readHead() else { return false }
    let content = try RequestContent(RequestHead(bytes), at: (number, index), from: self)
    if server.configuration.readsBody { try content.read() }
    content.setNumber(server.record(content.request))
    let reply = server.configuration.handler(content.request)
    let player = ScriptPlayer(content: content, loop: self)
    return try player.play(reply)
  }

  private func report(_ end: ConnectionEnd, index: Int) {
    let reason: String
    switch end {
    case .gone: return
    case .incomplete: reason = "The connection ended within a request."
    case .malformed(let what):
      reason = what
      let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      try? socket.send(Array(answer.utf8))
    }
    server.report(ScriptedServer.Problem(connection: number, index: index, reason: reason))
    socket.finishSending()
    if socket.hasUnreadBytes { socket.discardUntilEnd() }
  }
}

/// Frames of HTTP/2 (RFC 9113 section 4.1) with small payloads.
enum HTTP2Frames {
  /// The type of HEADERS.
  static let headers: UInt8 = 1
  /// Empty SETTINGS, and the acknowledgement of the client's.
  static let settings = frame(4) + frame(4, flags: 1)
  /// HEADERS of the first stream with the status 200, without END_STREAM.
  static let head = frame(headers, flags: 4, stream: 1, [0x88])

  /// DATA of the first stream.
  static func data(_ text: String, ends: Bool) -> [UInt8] {
    frame(0, flags: ends ? 1 : 0, stream: 1, Array(text.utf8))
  }

  /// A frame with a payload of less than 256 bytes.
  static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
  }
}
