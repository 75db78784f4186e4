import Foundation
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite(.serialized, .overEachTransport) struct LimitTests {
  /// Encodes `megabytes` MiB of zeros.
  private static func bomb(_ coding: any ContentCoding, megabytes: Int) throws -> [UInt8] {
    let encoder = try coding.makeEncoder()
    let block = [UInt8](repeating: 0, count: 1 << 20)
    var result: [UInt8] = []
    for _ in 0..<megabytes {
      try block.withUnsafeBytes { try encoder.transform($0) { result += $0 } }
    }
    try encoder.finish { result += $0 }
    return result
  }

  static let codings: [(name: String, coding: any ContentCoding)] = [
    ("gzip", .gzip), ("deflate", .deflate), ("br", .brotli), ("zstd", .zstd),
  ]

  /// A body for each coding that decodes to 256 MiB; the bodies are encoded once.
  private static let bombs = Result {
    try Dictionary(uniqueKeysWithValues: codings.map { ($0.name, try bomb($0.coding, megabytes: 256)) })
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"], [200, 404])
  func `a bomb ends at the cap, in an error's body too, with memory bounded`(name: String, status: Int) async throws {
    let bytes = try #require(try Self.bombs.get()[name])
    let server = try ScriptedServer(
      always: .respond(status: status, fields: ["Content-Encoding": name], body: .bytes(bytes)))
    defer { server.stop() }
    var limits = Limits()
    limits.responseBody = 4 << 20
    let session = try networkSession { [limits] in $0.limits(limits) }
    let before = try Holdings().memory
    let error = await session.request(server.url).validate().serializingData().response.error
    #expect(error?.kind == .limitExceeded(.responseBody) || error?.kind == .limitExceeded(.decodingRatio))
    #expect(try Holdings().memory - before < 64 << 10)
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func `a bomb in a redirect's body is not even decoded`(name: String) async throws {
    let coding = try #require(Self.codings.first { $0.name == name }?.coding)
    let bytes = try Self.bomb(coding, megabytes: 64)
    let server = try ScriptedServer { request in
      request.path == "/end"
        ? .respond(body: .text("arrived"))
        : .respond(status: 302, fields: ["Location": "/end", "Content-Encoding": name], body: .bytes(bytes))
    }
    defer { server.stop() }
    let before = try Holdings().memory
    #expect(try await networkSession().request(server.url).serializingString().value == "arrived")
    #expect(try Holdings().memory - before < 32 << 10)
  }

  @Test func `an endless body of a redirect is left at its limit`() async throws {
    let server = try ScriptedServer { request in
      request.path == "/end"
        ? .respond(body: .text("arrived"))
        : [
          .raw(text: "HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n"),
          .repeat(Array(("1000\r\n" + String(repeating: "a", count: 4096) + "\r\n").utf8)),
        ]
    }
    defer { server.stop() }
    #expect(try await networkSession().request(server.url).serializingString().value == "arrived")
    #expect(server.connectionCount == 2)
  }

  @Test(arguments: [
    ("fields", Limits.Name.responseFieldCount), ("informational", .informationalResponses), ("trailers", .trailers),
    ("body", .responseBody),
  ])
  func `an endless response is an error that names the limit`(kind: String, name: Limits.Name) async throws {
    let replies: [String: ScriptedReply] = [
      "fields": .endlessFields, "informational": .endlessInformational, "trailers": .endlessTrailers,
      "body": .endlessBody,
    ]
    let server = try ScriptedServer(always: try #require(replies[kind]))
    defer { server.stop() }
    var limits = Limits()
    limits.responseBody = 1 << 20
    let session = try networkSession { [limits] in $0.limits(limits) }
    let before = try Holdings().memory
    let error = await session.request(server.url).serializingData().response.error
    #expect(error?.kind == .limitExceeded(name))
    #expect(try Holdings().memory - before < 32 << 10)
  }

  @Test func `a bomb into a stream is held a window at a time, and two codings keep to the ratio of one`()
    async throws
  {
    let once = try Self.bomb(.gzip, megabytes: 64)
    let twice = try Self.coded(once)
    let server = try ScriptedServer { request in
      let isStacked = request.path == "/twice"
      return .respond(
        fields: ["Content-Encoding": isStacked ? "gzip, gzip" : "gzip"], body: .bytes(isStacked ? twice : once))
    }
    defer { server.stop() }
    var limits = Limits()
    // gzip compresses zeros to about a thousandth of their size.
    limits.decodingRatio = 1_500
    let session = try networkSession { [limits] in $0.limits(limits) }
    let before = try Holdings().memory
    var count = 0
    for try await piece in session.streamRequest(server.url + "/once").serializingBytes() { count += piece.count }
    #expect(count == 64 << 20)
    let error = await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest(server.url + "/twice").serializingBytes() {}
    }
    #expect(error?.kind == .limitExceeded(.decodingRatio))
    #expect(try Holdings().memory - before < 32 << 10)
  }

  private static func coded(_ bytes: [UInt8]) throws -> [UInt8] {
    let encoder = try GzipCoding().makeEncoder()
    var result: [UInt8] = []
    try bytes.withUnsafeBytes { try encoder.transform($0) { result += $0 } }
    try encoder.finish { result += $0 }
    return result
  }

  @Test func `an endless chunk extension is a named error`() async throws {
    let server = try ScriptedServer(always: .endlessChunkExtension)
    defer { server.stop() }
    let error = await (try networkSession()).request(server.url).serializingData().response.error
    #expect(error?.kind == .limitExceeded(.chunkExtensions))
  }

  @Test(arguments: [true, false])
  func `one cap for memory, whether the length is known or not`(isKnown: Bool) async throws {
    let body = [UInt8](repeating: 0x61, count: 1_001)
    let server = try ScriptedServer(always: isKnown ? .respond(body: .bytes(body)) : .chunked([body]))
    defer { server.stop() }
    var limits = Limits()
    limits.responseBody = 1_000
    let session = try networkSession { [limits] in $0.limits(limits) }
    let error = await session.request(server.url).serializingData().response.error
    #expect(error?.kind == .limitExceeded(.responseBody))
    #expect(error?.message.contains("1000") == true)
    limits.responseBody = 1_001
    let roomy = try networkSession { [limits] in $0.limits(limits) }
    #expect(try await roomy.request(server.url).serializingData().value.count == 1_001)
  }
}
