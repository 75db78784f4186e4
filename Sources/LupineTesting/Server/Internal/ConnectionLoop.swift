/// Serves the requests of one connection, one after another, on a thread of its own.
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

  /// Returns when the connection has ended; the socket is closed then.
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

  /// Speaks to a client of another protocol, and stays until it goes.
  private func greet(_ greeting: [UInt8]) {
    guard let first = try? socket.receive(upTo: 65_536), !first.isEmpty else { return }
    try? socket.send(greeting)
    socket.discardUntilEnd()
  }

  /// Answers a client of HTTP/2 once its HEADERS have come (RFC 9113 section 3.4), and stays until it goes.
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

  /// Returns whether another request may follow.
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
