import LupineFixtures
import LupineMock
import LupineTesting
import Synchronization

/// A server that fails at random, and that is restarted at the same address.
final class RestartedServer: Sendable {
  static let content = "A body of the server."
  private static let halves = (String(content.prefix(8)), String(content.dropFirst(8)))

  private let line: RestartedServerLoad.Line
  private let folder: TemporaryFolder
  /// The address of the servers with TLS.
  private let relay: PortRelay

  init(_ line: RestartedServerLoad.Line) throws {
    self.line = line
    folder = try TemporaryFolder()
    relay = try PortRelay()
  }

  deinit { relay.stop() }

  /// The path of the Unix-domain socket; `nil` if the server has TLS.
  var socket: String? { line == .unixSocket ? folder.file("socket") : nil }

  var url: String { line == .unixSocket ? "http://localhost" : "https://localhost:\(relay.port)" }

  /// Starts the server; returns a function that stops it and ends its connections.
  ///
  /// - Parameter onRequest: is called at each request.
  func start(_ onRequest: @escaping @Sendable () -> Void) throws -> () -> Void {
    switch line {
    case .unixSocket:
      let server = try ScriptedServer(.unix(path: folder.file("socket"))) { request in
        onRequest()
        return Self.reply(request)
      }
      return server.stop
    case .secured:
      let count = Atomic(0)
      let peer = try TLSPeer { path, _ in
        onRequest()
        return Self.reply(path, count.add(1, ordering: .relaxed).newValue)
      }
      return restart(at: peer.port, peer.stop)
    case .http2:
      let peer = try HTTP2Peer(isSecured: true) { stream, number in
        onRequest()
        return Self.reply(stream, number)
      }
      return restart(at: peer.port, peer.stop)
    }
  }

  private func restart(at port: UInt16, _ stop: @escaping () -> Void) -> () -> Void {
    relay.redirect(to: port)
    return { [relay] in
      stop()
      relay.redirect(to: nil)
    }
  }

  private static func reply(_ request: ReceivedHTTPRequest) -> ScriptedReply {
    let body = ScriptedBody.text(content)
    let faults: [NetworkFault] = [.resetBeforeHead, .reset(afterBytes: 3), .truncated(afterBytes: 5), .malformedChunk]
    return switch request.path {
    case "/chunks": .chunked([Array(halves.0.utf8), Array(halves.1.utf8)])
    case "/stall": .stall(afterBytes: 2)
    case "/fault": ScriptedReply(faults[request.number % faults.count], of: body) ?? .closeBeforeHead
    default: .respond(body: body)
    }
  }

  private static func reply(_ path: String, _ number: Int) -> TLSPeer.Reply {
    let length = "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let faults = [
      ["SSH-2.0-OpenSSH\r\n"], [chunked, "5_0\r\n"], [length, content + "surplus"],
      ["HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n"],
    ]
    let records =
      switch path {
      case "/chunks": [chunked, "8\r\n\(halves.0)\r\n", "D\r\n\(halves.1)\r\n0\r\n\r\n"]
      case "/stall": [length, "A "]
      case "/fault": faults[number % faults.count]
      default: [length, content]
      }
    return TLSPeer.Reply(records: records.map { Array($0.utf8) })
  }

  /// The frames do not depend on the path: an eighth of the requests fails, and half of those end the connection.
  private static func reply(_ stream: UInt32, _ number: Int) -> [HTTP2Peer.Step] {
    switch number % 32 {
    case 7, 15: [.send(.head(stream)), .send(.reset(stream, code: 2))]
    case 23: [.send(.goAway(last: stream)), .close]
    case 31: [.send(.head(stream)), .send(.data(0, content, ends: true))]
    default:
      [.send(.head(stream)), .send(.data(stream, halves.0, ends: false)), .send(.data(stream, halves.1, ends: true))]
    }
  }
}
