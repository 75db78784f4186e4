public import LupineCore

extension LupineError.Kind {
  /// The Redis server cannot be reached, did not answer in time, or did not answer as its protocol demands.
  public static let redisUnavailable = LupineError.Kind.plugin("redisUnavailable")
  /// The Redis server answered with an error, such as a wrong password or no memory, or a limit of the store was
  /// exceeded.
  public static let redisRefused = LupineError.Kind.plugin("redisRefused")
}

extension LupineError {
  static func redisUnavailable(_ message: String) -> LupineError { LupineError(.redisUnavailable, message) }

  /// The error of a reply that is none to this command.
  static func redisUnexpected(_ command: String, by server: RedisServer) -> LupineError {
    .redisUnavailable("The Redis server at \(server) gave another kind of answer to \(command) than Redis does.")
  }

  /// The error of a server's error reply.
  ///
  /// A server repeats the arguments of a command that it does not know, and a hostile one may repeat anything. The text
  /// of the reply is therefore left out after `AUTH`, and if it contains the password.
  static func redisRefused(_ command: String, _ reply: String, by server: RedisServer) -> LupineError {
    var text = String(reply.prefix(command == "AUTH" ? 0 : 200))
    if let password = server.password, !password.isEmpty, reply.contains(password) { text = "" }
    let advice = command == "AUTH" ? "; check the user and the password" : ""
    let quoted = text.isEmpty ? "" : ": \(text)"
    return LupineError(.redisRefused, "The Redis server at \(server) refused the command \(command)\(advice)\(quoted)")
  }
}
