import FoundationEssentials
import Lupine
import LupineMock
import Testing

/// The default limits of a session, each with a value within the limit and a value over the limit.
@Suite struct DefaultLimitTests {
  /// A limit, its default value, the distance of the tested sizes from that value, and a request of a given size.
  struct Row: Sendable, CustomStringConvertible {
    let name: Limits.Name
    let value: Int
    let slack: Int
    let ask: @Sendable (Int) async throws -> LupineError?

    var description: String { name.rawValue }
  }

  private static func session(_ reply: MockReply) throws -> Session {
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    return try Session.Builder().transport(mock).install(.compression).build()
  }

  private static func ask(_ reply: MockReply, _ headers: HTTPFields = [:]) async throws -> LupineError? {
    await (try session(reply)).request("https://example.com/", headers: RequestHeaders(headers)).serializingData()
      .response.error
  }

  private static func fields(_ count: Int) -> HTTPFields {
    var fields = HTTPFields()
    for number in 0..<count {
      if let name = HTTPField.Name("X-\(number)") { fields.append(HTTPField(name: name, value: "a")) }
    }
    return fields
  }

  private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Sendable private static func redirects(_ count: Int) async throws -> LupineError? {
    let mock = MockTransport()
    mock.stub(.get, "/{number}") { request in
      let number = Int(request.variables["number"] ?? "") ?? 0
      return number == count ? .text("arrived") : .redirect(to: "/\(number + 1)")
    }
    return await (try Session.Builder().transport(mock).build()).request("https://example.com/0").serializingData()
      .response.error
  }

  @Sendable private static func line(_ count: Int) async throws -> LupineError? {
    do {
      for try await _ in try session(.text(letters(count))).streamRequest("https://example.com/").serializingLines() {}
      return nil
    } catch {
      return error as? LupineError
    }
  }

  @Sendable private static func nesting(_ count: Int) async throws -> LupineError? {
    let text = String(repeating: "[", count: count) + String(repeating: "]", count: count)
    let request = try session(.text(text, contentType: "application/json")).request("https://example.com/")
    return await request.serializingJSON().response.error
  }

  /// Receives noise, which brotli does not compress, followed by zeros, which brotli compresses to almost nothing.
  @Sendable private static func ratio(_ ratio: Int) async throws -> LupineError? {
    let coding = BrotliCoding()
    let encoder = try coding.makeEncoder()
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var coded: [UInt8] = []
    try noise.withUnsafeBytes { try encoder.transform($0) { coded += $0 } }
    let zeros = [UInt8](repeating: 0, count: ratio * noise.count)
    try zeros.withUnsafeBytes { try encoder.transform($0) { coded += $0 } }
    try encoder.finish { coded += $0 }
    return try await ask(.data(Data(coded), contentType: "text/plain").field(.contentEncoding, "br"))
  }

  private static let hint = HTTPResponse(status: .init(code: 103))

  static let rows: [Row] = [
    Row(name: .redirects, value: 10, slack: 0, ask: redirects),
    Row(name: .responseBody, value: 64 << 20, slack: 0) {
      try await ask(.data(Data(count: $0), contentType: "text/plain"))
    },
    Row(name: .responseFields, value: 128 << 10, slack: 200) {
      try await ask(.text("a").field(.server, letters($0)))
    },
    Row(name: .responseFieldCount, value: 1_000, slack: 5) { try await ask(.text("a").fields(fields($0))) },
    Row(name: .informationalResponses, value: 32, slack: 0) {
      try await ask(.text("a").informational([HTTPResponse](repeating: hint, count: $0)))
    },
    Row(name: .trailers, value: 16 << 10, slack: 100) {
      try await ask(.text("a").trailers([.server: letters($0)]))
    },
    Row(name: .requestFields, value: 60 << 10, slack: 1_000) { try await ask(.text("a"), [.custom: letters($0)]) },
    Row(name: .contentCodings, value: 3, slack: 0) { count in
      // The body is not gzip, so the request fails with another error if the number of codings is within the limit.
      let coding = [String](repeating: "gzip", count: count).joined(separator: ", ")
      let error = try await ask(.text("a").field(.contentEncoding, coding))
      return error?.kind == .limitExceeded(.contentCodings) ? error : nil
    },
    Row(name: .decodingRatio, value: 1_000, slack: 20, ask: ratio),
    Row(name: .line, value: 1 << 20, slack: 0, ask: line), Row(name: .nesting, value: 512, slack: 0, ask: nesting),
  ]

  @Test(arguments: rows)
  func `a value over a default limit is an error that names the limit and its value, and a value within it is not`(
    row: Row
  ) async throws {
    #expect(try await row.ask(row.value - row.slack) == nil)
    let error = try #require(try await row.ask(row.value + row.slack + 1))
    #expect(error.kind == .limitExceeded(row.name))
    #expect(error.message.contains(row.name.rawValue))
    #expect(error.message.contains("\(row.value)"))
  }

  @Test func `a jar stores 4 KiB per cookie, 50 cookies per domain and 3,000 in all`() throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    var tight = CookieLimits()
    (tight.cookieBytes, tight.perDomain, tight.total) = (10, 2, 3)
    for (jar, size, perDomain, total) in [(CookieJar(), 4_096, 50, 3_000), (CookieJar(limits: tight), 10, 2, 3)] {
      for domain in 0..<(total / perDomain + 2) {
        let url = try HTTPURL("https://d\(domain).example.com/")
        jar.store((0...perDomain).map { "c\($0)=x" }, from: url, now: now)
        #expect(jar.cookies(for: url, now: now).count == perDomain)
      }
      #expect(jar.cookies.count == total)
      let url = try HTTPURL("https://long.example.com/")
      jar.store(["a=" + String(repeating: "x", count: size)], from: url, now: now)
      #expect(jar.cookies(for: url, now: now).isEmpty)
      jar.store(["a=" + String(repeating: "x", count: size - 1)], from: url, now: now)
      #expect(jar.cookies(for: url, now: now).count == 1)
    }
  }
}
