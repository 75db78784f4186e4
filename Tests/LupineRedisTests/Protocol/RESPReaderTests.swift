import Foundation
import Testing

@testable import LupineRedis

@Suite struct RESPReaderTests {
  static let limits = RESPReader.Limits(bytes: 512, line: 64, values: 16, depth: 3)

  static let replies: [(String, RESPValue)] = [
    ("+OK\r\n", .text("OK")), ("+\r\n", .text("")), ("-ERR no\r\n", .error("ERR no")), (":0\r\n", .integer(0)),
    (":-9223372036854775808\r\n", .integer(.min)), ("$0\r\n\r\n", .bytes(Data())), ("$-1\r\n", .null),
    ("*-1\r\n", .null), ("*0\r\n", .array([])), ("$5\r\na\r\nb\n\r\n", .bytes(Data("a\r\nb\n".utf8))),
    (
      "*4\r\n*0\r\n$1\r\n*\r\n*2\r\n:1\r\n*1\r\n$-1\r\n-no\r\n",
      .array([.array([]), .bytes(Data("*".utf8)), .array([.integer(1), .array([.null])]), .error("no")])
    ),
  ]

  static let violations = [
    "\r\n", "OK\r\n", "+O\rK\r\n", "+OK\n", ":\r\n", ":+1\r\n", ":1.0\r\n", ":9223372036854775808\r\n", ": 1\r\n",
    "$x\r\n", "$-2\r\n", "$+1\r\na\r\n", "$1\r\nab\r\n", "$1\r\na\n\r", "*-2\r\n", "*1\r\n\r\n", "HTTP/1.1 400 Bad\r\n",
    "$513\r\n", "$9223372036854775807\r\n", "$99999999999999999999\r\n", "*17\r\n", "*9223372036854775807\r\n",
    "*9\r\n*9\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n", "+" + String(repeating: "a", count: 64) + "\r\n",
    "+" + String(repeating: "a", count: 65), "$500\r\n" + String(repeating: "a", count: 507),
  ]

  /// Reads pieces; stops after the reply.
  static func read(_ pieces: [[UInt8]]) throws -> (reply: RESPValue?, isEmpty: Bool) {
    var reader = RESPReader(limits: limits)
    for piece in pieces {
      try reader.append(piece)
      if let reply = try reader.next() { return (reply, reader.isEmpty) }
    }
    return (nil, reader.isEmpty)
  }

  /// The bytes in one piece, in two at every place, and byte by byte.
  static func cuts(_ text: String) -> [[[UInt8]]] {
    let bytes = Array(text.utf8)
    return [[bytes], bytes.map { [$0] }] + bytes.indices.map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
  }

  @Test(arguments: replies) func `a reply is read however it is cut`(text: String, expected: RESPValue) throws {
    for pieces in Self.cuts(text) {
      let result = try Self.read(pieces)
      #expect(result.reply == expected)
      #expect(result.isEmpty)
    }
  }

  @Test(arguments: replies) func `a reply without its end is not returned`(text: String, _: RESPValue) throws {
    for count in 0..<text.utf8.count {
      #expect(try Self.read([Array(text.utf8.prefix(count))]).reply == nil)
    }
  }

  @Test(arguments: violations) func `a violation is an error however it is cut`(text: String) {
    for pieces in Self.cuts(text) {
      #expect(throws: RESPReader.Violation.self, "\(pieces)") { try Self.read(pieces) }
    }
  }

  @Test func `bytes behind a reply are noticed`() throws {
    let result = try Self.read([Array("+OK\r\n+OK\r\n".utf8)])
    #expect(result.reply == .text("OK"))
    #expect(!result.isEmpty)
  }

  @Test func `a command is an array of strings`() {
    let command = RedisCommand("SET", [Data("a\r\n".utf8), Data()])
    #expect(String(decoding: command.bytes, as: UTF8.self) == "*3\r\n$3\r\nSET\r\n$3\r\na\r\n\r\n$0\r\n\r\n")
  }
}
