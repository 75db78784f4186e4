import LupineFoundation

/// A value of RESP2, the protocol of Redis.
enum RESPValue: Equatable, Sendable {
  /// A simple string, such as `OK`.
  case text(String)
  /// An error, such as `OOM command not allowed`.
  case error(String)
  case integer(Int64)
  /// A bulk string.
  case bytes(Data)
  /// A bulk string or an array that is absent.
  case null
  case array([RESPValue])
}

/// A command and its arguments, as a server receives it.
struct RedisCommand: Sendable {
  /// The command's name, for messages.
  let name: String
  /// The whole command: an array of bulk strings.
  let bytes: Data

  init(_ name: String, _ arguments: [Data]) {
    self.name = name
    var bytes = Data("*\(arguments.count + 1)\r\n".utf8)
    bytes.reserveCapacity(arguments.reduce(64) { $0 + $1.count + 24 })
    for argument in [Data(name.utf8)] + arguments {
      bytes.append(contentsOf: "$\(argument.count)\r\n".utf8)
      bytes.append(argument)
      bytes.append(contentsOf: "\r\n".utf8)
    }
    self.bytes = bytes
  }

  init(_ name: String, _ arguments: String...) { self.init(name, arguments.map { Data($0.utf8) }) }
}
