import LupineCore

/// The client's side of SOCKS 5, up to the connection to a server (RFC 1928, and RFC 1929 for name and password).
///
/// A proxy that sends a message before its turn is tolerated, because the result would otherwise depend on how the bytes
/// arrive. Bytes after the last message are an error: they would be read as the server's.
struct SocksNegotiation: ProxyNegotiation {
  /// The server that the proxy connects to.
  enum Target: Equatable {
    /// A name, which the proxy resolves.
    case name(String)
    case address(IPAddress)
  }

  private enum Part { case method, credential, reply, finished }

  private static let version: UInt8 = 5
  /// The version of the messages about name and password (RFC 1929).
  private static let credentialVersion: UInt8 = 1
  private static let noAuthentication: UInt8 = 0
  private static let nameAndPassword: UInt8 = 2

  private let proxy: Proxy
  private let targetText: String
  /// The message that asks for the connection.
  private let connectRequest: [UInt8]
  private var part = Part.method
  /// The part of the proxy's present message that has arrived.
  private var message: [UInt8] = []
  private var failure: LupineError?
  private(set) var isTargetRefused = false

  /// - Throws: `LupineError` of kind `invalidRequest` for a name of more than 255 bytes, or `configuration` for a
  ///   credential that SOCKS cannot transmit.
  init(to target: Target, port: Int, through proxy: Proxy) throws(LupineError) {
    if let issue = proxy.issues.first {
      throw .unusable("proxy", "The proxy \(proxy) cannot be used: \(issue).")
    }
    self.proxy = proxy
    (targetText, connectRequest) = try Self.connectRequest(target, port)
  }

  /// Offers a name and a password only if the session has them (RFC 1928 section 3).
  var opening: [UInt8] {
    proxy.credential == nil
      ? [Self.version, 1, Self.noAuthentication] : [Self.version, 2, Self.noAuthentication, Self.nameAndPassword]
  }

  mutating func process(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> NegotiationProgress {
    if let failure { throw failure }
    var progress = NegotiationProgress()
    do throws(LupineError) {
      for byte in bytes { progress.output += try process(byte) }
    } catch {
      failure = error
      throw error
    }
    if part == .finished { progress.outcome = .open(nil) }
    return progress
  }

  /// Processes a byte; returns the next message if the byte completes one of the proxy's.
  private mutating func process(_ byte: UInt8) throws(LupineError) -> [UInt8] {
    guard part != .finished else { throw error("has sent bytes that the server cannot have sent.") }
    message.append(byte)
    let isComplete =
      switch part {
      case .method, .credential: message.count == 2
      case .reply: try isReplyComplete()
      case .finished: false
      }
    try checkVersion()
    guard isComplete else { return [] }
    defer { message = [] }
    switch part {
    case .method: return try choose(message[1])
    case .credential: return try acceptCredential(message[1])
    case .reply, .finished:
      part = .finished
      return []
    }
  }

  private func checkVersion() throws(LupineError) {
    let expected = part == .credential ? Self.credentialVersion : Self.version
    guard message[0] != expected else { return }
    throw error("does not speak SOCKS 5: its message has the version \(message[0]).")
  }

  private func error(_ sentence: String) -> LupineError { LupineError(.proxyFailed, "The proxy \(proxy) \(sentence)") }
}

/// The messages before the request for the connection.
extension SocksNegotiation {
  /// Returns the message for the method that the proxy has chosen (RFC 1928 section 3).
  private mutating func choose(_ method: UInt8) throws(LupineError) -> [UInt8] {
    switch (method, proxy.credential) {
    case (Self.noAuthentication, _): return beginReply()
    case (Self.nameAndPassword, let credential?):
      part = .credential
      let (name, password) = (Array(credential.username.utf8), Array(credential.password.utf8))
      return [Self.credentialVersion, UInt8(clamping: name.count)] + name + [UInt8(clamping: password.count)] + password
    case (0xFF, nil): throw error("requires authentication; give it a name and a password.")
    case (0xFF, _): throw error("does not support names and passwords, and requires another method.")
    default: throw error("has chosen the authentication method \(method), which was not offered.")
    }
  }

  private mutating func acceptCredential(_ status: UInt8) throws(LupineError) -> [UInt8] {
    guard status == 0 else { throw error("does not accept the name and password that it was given.") }
    return beginReply()
  }

  private mutating func beginReply() -> [UInt8] {
    part = .reply
    return connectRequest
  }
}

/// The request for the connection, and the reply (RFC 1928 sections 4 to 6).
extension SocksNegotiation {
  private static let ipv4: UInt8 = 1
  private static let domainName: UInt8 = 3
  private static let ipv6: UInt8 = 4

  private static func connectRequest(
    _ target: Target, _ port: Int
  ) throws(LupineError) -> (text: String, bytes: [UInt8]) {
    let head: [UInt8] = [version, 1, 0]
    let end = [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
    switch target {
    case .address(let address):
      let type = address.family == .ipv4 ? ipv4 : ipv6
      return ("\(address)", head + [type] + address.bytes + end)
    case .name(let name):
      let bytes = Array(name.utf8)
      guard (1...255).contains(bytes.count) else {
        throw LupineError(
          .invalidRequest,
          "The host's name has \(bytes.count) bytes; a SOCKS proxy takes a name of at most 255 (RFC 1928 section 5).")
      }
      return (name, head + [domainName, UInt8(clamping: bytes.count)] + bytes + end)
    }
  }

  /// Whether the proxy's reply is complete; throws as soon as it contains a refusal, after which proxies send what they
  /// like.
  private mutating func isReplyComplete() throws(LupineError) -> Bool {
    if message.count == 2, message[1] != 0, message[0] == Self.version { throw refusal(message[1]) }
    guard message.count >= 5 else {
      if message.count == 3, message[2] != 0 { throw error("has sent a reply that violates RFC 1928.") }
      return false
    }
    // The address type, the address, and two bytes of a port.
    let length: Int? =
      switch message[3] {
      case Self.ipv4: 4
      case Self.domainName: 1 + Int(message[4])
      case Self.ipv6: 16
      default: nil
      }
    guard let length else { throw error("has sent a reply with the unknown address type \(message[3]).") }
    return message.count == 4 + length + 2
  }

  private mutating func refusal(_ code: UInt8) -> LupineError {
    // 7 is about the command.
    isTargetRefused = code <= 8 && code != 7
    if code == 2 { return error("forbids the connection to \(targetText) by its rules (code 2).") }
    let reason =
      switch code {
      case 1: "it reports a general failure"
      case 3: "the network is unreachable"
      case 4: "the host is unreachable"
      case 5: "the server refused the connection"
      case 6: "the time to live expired"
      case 7: "it does not support the command"
      case 8: "it does not support the type of address"
      default: "its reply contains an unknown code"
      }
    return error("made no connection to \(targetText): \(reason) (code \(code)).")
  }
}
