import Glibc
import PeerSupport
import Synchronization
import TrustSupport

/// A SOCKS proxy on loopback that connects to no server: it answers each request itself.
final class SocksPeer: Sendable {
  /// The proxy's messages.
  struct Script: Sendable {
    /// The answer to the offered methods.
    var method: [UInt8] = [5, 0]
    /// The answer to a name and a password; `nil` if the proxy asks for none.
    var credential: [UInt8]?
    /// The reply to the request for the connection with this number, from 0.
    var reply: @Sendable (_ number: Int) -> [UInt8] = { _ in SocksPeer.success }
    /// Whether each message is written byte by byte.
    var drips = false
    /// The number of bytes of the messages after which the proxy ends the connection; `nil` if it does not.
    var ending: Int?
  }

  static let success: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]
  private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

  private let listener: LoopbackListener
  private let script: Script
  private let state = Mutex<(connections: Int, messages: [[UInt8]])>((0, []))

  var address: String { "127.0.0.1:\(listener.port)" }
  /// The client's messages of all connections in order, up to the heads of its requests.
  var messages: [[UInt8]] { state.withLock { $0.messages } }
  var connectionCount: Int { state.withLock { $0.connections } }

  init(_ script: Script = Script()) throws {
    self.script = script
    listener = try LoopbackListener()
    listener.start { [self] in serve(Wire(descriptor: $0, drips: script.drips, left: script.ending ?? .max)) }
  }

  func stop() { listener.stop() }

  private func serve(_ wire: Wire) {
    var wire = wire
    let number = state.withLock { state in
      state.connections += 1
      return state.connections - 1
    }
    do throws(Ended) {
      let head = try wire.read(2)
      try record(head + wire.read(Int(head[1])))
      try wire.write(script.method)
      if let credential = script.credential {
        let name = try wire.read(2)
        let rest = try wire.read(Int(name[1]) + 1)
        try record(name + rest + wire.read(Int(rest.last ?? 0)))
        try wire.write(credential)
      }
      let request = try wire.read(5)
      let length = request[3] == 1 ? 3 : request[3] == 4 ? 15 : Int(request[4])
      try record(request + wire.read(length + 2))
      try wire.write(script.reply(number))
      while true {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) { head += try wire.read(1) }
        record(head)
        try wire.write(Self.answer)
      }
    } catch {}
  }

  private func record(_ message: [UInt8]) { state.withLock { $0.messages.append(message) } }

  private struct Ended: Error {}

  private struct Wire {
    let descriptor: Int32
    let drips: Bool
    /// The number of bytes that may still be written.
    var left: Int

    func read(_ count: Int) throws(Ended) -> [UInt8] {
      guard count > 0 else { return [] }
      var bytes = [UInt8](repeating: 0, count: count)
      guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else { throw Ended() }
      return bytes
    }

    mutating func write(_ bytes: [UInt8]) throws(Ended) {
      let allowed = Array(bytes.prefix(left))
      left -= allowed.count
      for piece in drips ? allowed.map({ [$0] }) : [allowed] where !piece.isEmpty {
        guard send(descriptor, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count else { throw Ended() }
      }
      if allowed.count < bytes.count { throw Ended() }
    }
  }
}
