import LupineCore
import Testing

@testable import LupineNative

/// The messages of SOCKS 5, each in one piece, in two at every place, and byte by byte.
@Suite struct SocksNegotiationTests {
  private static func negotiation(
    _ target: SocksNegotiation.Target = .name("example.com"), port: Int = 443, user: String = ""
  ) throws -> SocksNegotiation {
    try SocksNegotiation(to: target, port: port, through: Proxy("socks5h://\(user)proxy.example.com"))
  }

  private static let domain: [UInt8] = [5, 1, 0, 3, 11] + Array("example.com".utf8) + [1, 187]
  private static let success: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 4, 56]

  @Test func `without a credential only no authentication is offered, and the name is sent`() throws {
    let negotiation = try Self.negotiation()
    #expect(negotiation.opening == [5, 1, 0])
    let result = try Negotiating.theSame(of: [5, 0] + Self.success, negotiation)
    #expect(result.outcome == "open" && result.output == Self.domain)
  }

  @Test func `a name and a password are sent if the proxy asks for them`() throws {
    let negotiation = try Self.negotiation(user: "ali:open%20sesame@")
    #expect(negotiation.opening == [5, 2, 0, 2])
    let asked = try Negotiating.theSame(of: [5, 2, 1, 0] + Self.success, negotiation)
    let proof: [UInt8] = [1, 3] + Array("ali".utf8) + [11] + Array("open sesame".utf8)
    #expect(asked.outcome == "open" && asked.output == proof + Self.domain)
    let notAsked = try Negotiating.theSame(of: [5, 0] + Self.success, negotiation)
    #expect(notAsked.outcome == "open" && notAsked.output == Self.domain)
  }

  @Test(arguments: [
    ("10.1.2.3", [1, 10, 1, 2, 3]), ("::1", [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
  ])
  func `an address is sent as an address`(text: String, bytes: [UInt8]) throws {
    let negotiation = try Self.negotiation(.address(try #require(IPAddress(text))), port: 80)
    let result = try Negotiating.theSame(of: [5, 0] + Self.success, negotiation)
    #expect(result.output == [5, 1, 0] + bytes + [0, 80])
  }

  @Test(arguments: [
    [5, 0, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 0, 3, 1, 0x61, 0, 80], [5, 0, 0, 3, 0, 0, 80],
    [5, 0, 0, 3, 255] + [UInt8](repeating: 0x61, count: 255) + [0, 80],
    [5, 0, 0, 4] + [UInt8](repeating: 0, count: 18),
  ])
  func `a reply may contain any type of address`(reply: [UInt8]) throws {
    let result = try Negotiating.theSame(of: [5, 0] + reply, try Self.negotiation())
    #expect(result.outcome == "open" && result.failure == nil)
    let shorter = try Negotiating.theSame(of: [5, 0] + reply.dropLast(), try Self.negotiation())
    #expect(shorter.outcome == "incomplete" && shorter.failure == nil)
  }

  @Test(arguments: [
    (1, "a general failure", true), (2, "forbids the connection", true), (3, "the network is unreachable", true),
    (4, "the host is unreachable", true), (5, "the server refused", true), (6, "the time to live expired", true),
    (7, "does not support the command", false), (8, "does not support the type of address", true),
    (9, "an unknown code", false), (255, "an unknown code", false),
  ])
  func `each code of a refusal is an error that names the target and the reason`(
    code: UInt8, reason: String, concernsTarget: Bool
  ) throws {
    // Some proxies send the rest of the reply, some close the connection.
    for rest: [UInt8] in [[], [0, 1, 0, 0, 0, 0, 0, 0], [9, 9, 9]] {
      let result = try Negotiating.theSame(of: [5, 0, 5, code] + rest, try Self.negotiation())
      #expect(result.failure == .proxyFailed && result.isTargetRefused == concernsTarget)
      #expect(result.message.contains("The proxy socks5h://proxy.example.com:1080 "))
      #expect(result.message.contains(reason) && result.message.contains("example.com"))
    }
  }

  @Test(arguments: [
    ([4, 0], "", "has the version 4"), ([0x48, 0x54], "", "has the version 72"), ([5, 0, 4], "", "has the version 4"),
    ([5, 2, 5, 0], "ali:x@", "has the version 5"), ([5, 0xFF], "", "give it a name and a password"),
    ([5, 0xFF], "ali:x@", "requires another method"), ([5, 2], "", "was not offered"), ([5, 1], "", "was not offered"),
    ([5, 0x80], "ali:x@", "was not offered"), ([5, 2, 1, 1], "ali:x@", "does not accept the name and password"),
    ([5, 2, 1, 255], "ali:x@", "does not accept the name and password"), ([5, 0, 5, 0, 1], "", "violates RFC 1928"),
    ([5, 0, 5, 0, 0, 2, 0], "", "unknown address type 2"), ([5, 0, 5, 0, 0, 0, 0], "", "unknown address type 0"),
    ([5, 0] + success + [0x48], "", "the server cannot have sent"),
  ])
  func `a proxy that violates SOCKS or refuses the client is an error`(
    bytes: [UInt8], user: String, sentence: String
  ) throws {
    let result = try Negotiating.theSame(of: bytes, try Self.negotiation(user: user))
    #expect(result.failure == .proxyFailed && !result.isTargetRefused)
    #expect(result.message.contains(sentence), "\(result.message)")
    #expect(!result.message.contains("ali"))
  }

  @Test func `a negotiation that stops early is incomplete`() throws {
    let all: [UInt8] = [5, 2, 1, 0] + Self.success
    for count in 1..<all.count {
      let result = try Negotiating.theSame(of: Array(all[..<count]), try Self.negotiation(user: "ali:x@"))
      #expect(result.outcome == "incomplete")
    }
  }

  @Test func `a name that SOCKS cannot transmit is an error of the request`() throws {
    #expect(throws: Never.self) { try Self.negotiation(.name(String(repeating: "a", count: 255))) }
    let error = #expect(throws: LupineError.self) { try Self.negotiation(.name(String(repeating: "a", count: 256))) }
    #expect(error?.kind == .invalidRequest)
  }

  @Test(arguments: ["", "x\0", String(repeating: "x", count: 256)])
  func `a name or a password that SOCKS cannot transmit is an error that quotes neither`(text: String) throws {
    for proxy in [
      try Proxy("socks5://proxy.example.com").credential(username: text, password: "geheim"),
      try Proxy("socks5://proxy.example.com").credential(username: "geheim", password: text),
    ] {
      let error = #expect(throws: LupineError.self) {
        try SocksNegotiation(to: .name("example.com"), port: 80, through: proxy)
      }
      guard case .configuration = error?.kind else {
        Issue.record("another error: \(String(describing: error))")
        continue
      }
      #expect(error?.message.contains("geheim") == false)
    }
  }
}
