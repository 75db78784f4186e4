import LupineCore
import LupineFoundation

/// An authenticated connection to a server; one thread at a time uses it and blocks.
struct RedisConnection: Sendable {
  /// The socket, which any thread may interrupt.
  let socket: RedisSocket
  private let server: RedisServer
  private let limits: RESPReader.Limits

  /// Connects to the first address that answers, authenticates and selects the database.
  ///
  /// - Parameter attach: called with each socket before it connects, so that it can be interrupted; if it returns false,
  ///   the connection is not made.
  init(to server: RedisServer, limits: RESPReader.Limits, attach: (RedisSocket) -> Bool) throws(LupineError) {
    socket = try Self.connectedSocket(to: server, attach: attach)
    self.server = server
    self.limits = limits
    if let password = server.password { try prepare("AUTH", (server.username.map { [$0] } ?? []) + [password]) }
    if server.database != 0 { try prepare("SELECT", [String(server.database)]) }
  }

  /// Whether the connection can be used again: it is open, and nothing arrived that no command asked for.
  var isReusable: Bool { socket.isQuiet }

  /// Sends a command and returns the reply, which may be an error of the server.
  ///
  /// After an error is thrown, the connection must not be used again.
  func exchange(_ command: RedisCommand) throws(LupineError) -> RESPValue {
    do throws(RedisSocket.Failure) {
      try socket.send(command.bytes)
    } catch {
      throw .redisUnavailable("The Redis server at \(server) did not take the command \(command.name): \(error.text).")
    }
    return try reply(to: command)
  }

  private func reply(to command: RedisCommand) throws(LupineError) -> RESPValue {
    var reader = RESPReader(limits: limits)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do {
      while true {
        let count = try socket.receive(into: &buffer)
        try reader.append(buffer[..<count])
        guard let reply = try reader.next() else { continue }
        guard reader.isEmpty else { throw RESPReader.Violation(reason: "more than one reply") }
        return reply
      }
    } catch let error as RedisSocket.Failure {
      throw .redisUnavailable(
        "The Redis server at \(server) did not answer the command \(command.name): \(error.text).")
    } catch {
      let reason = (error as? RESPReader.Violation)?.reason ?? "\(error)"
      throw .redisUnavailable(
        "The answer of the Redis server at \(server) to the command \(command.name) is not RESP2: it has \(reason).")
    }
  }

  /// Sends a command of the connection's start, which must succeed.
  private func prepare(_ name: String, _ arguments: [String]) throws(LupineError) {
    let command = RedisCommand(name, arguments.map { Data($0.utf8) })
    switch try exchange(command) {
    case .text("OK"): return
    case .error(let text): throw .redisRefused(name, text, by: server)
    default: throw .redisUnexpected(name, by: server)
    }
  }

  private static func connectedSocket(
    to server: RedisServer, attach: (RedisSocket) -> Bool
  ) throws(LupineError) -> RedisSocket {
    var failure = RedisSocket.Failure.interrupted
    for name in try names(of: server) {
      do throws(RedisSocket.Failure) {
        let socket = try RedisSocket(name.family)
        guard attach(socket) else { throw .interrupted }
        try socket.connect(to: name)
        return socket
      } catch {
        failure = error
      }
    }
    throw .redisUnavailable("The Redis server at \(server) cannot be reached: \(failure.text).")
  }

  /// Returns the addresses of the server; blocks while a name is resolved.
  private static func names(of server: RedisServer) throws(LupineError) -> [SocketName] {
    switch server.address {
    case .unix(let path): return [.unix(path: path)]
    case .tcp(let host, let port):
      switch HostResolver.systemAnswer(for: host) {
      case .addresses(let addresses): return addresses.map { .ip($0, port: UInt16(port)) }
      case .failure(let reason):
        throw .redisUnavailable("The name of the Redis server at \(server) has no address: \(reason).")
      }
    }
  }
}
