import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineFraming
import Testing

/// Compares the reader of responses with h11 on random responses.
///
/// `make test` reads 8,000 of them from `LUPINE_SEED`, and `make fuzz` many times as many, as `LUPINE_RESPONSES` says.
@Suite(.enabled(if: PythonReader.isWanted, PythonReader.reason)) struct DifferentialTests {
  private static let count = ProcessInfo.processInfo.environment["LUPINE_RESPONSES"].flatMap(Int.init) ?? 8_000

  /// A case that h11 refuses and the reader accepts, with the reason.
  private struct Exception {
    let message: String
    let reason: String
    let applies: @Sendable (ResponseReading, [UInt8]) -> Bool
  }

  private static let exceptions: [Exception] = [
    Exception(
      message: "bad Content-Length",
      reason: "h11 allows 20 digits; leading zeros are digits (RFC 9110 section 8.6)",
      applies: { reading, _ in reading.fields.contains { $0.hasPrefix("content-length=0") } }),
    Exception(
      message: "illegal chunk header",
      reason: "h11 allows no white space before an extension; BWS is allowed (RFC 9112 section 7.1.1)",
      applies: { _, bytes in zip(bytes, bytes.dropFirst()).contains { ($0 == 0x20 || $0 == 0x09) && $1 == 0x3B } }),
    Exception(
      message: "",
      reason: "h11 applies the rules of framing to trailers, which have no framing (RFC 9110 section 6.5.1)",
      applies: { reading, _ in
        reading.trailers.contains { $0.hasPrefix("content-length=") || $0.hasPrefix("transfer-encoding=") }
      }),
  ]

  @Test func `h11 reads each response that the reader accepts, with the same result`() throws {
    var generator = ResponseGenerator(seed: Seeds.first &+ 1)
    let cases = (0..<Self.count).map { _ in generator.next() }
    let answers = try PythonReader.read(
      cases.map { PythonReader.Case(method: $0.method.rawValue, bytes: Data($0.bytes)) })
    try #require(answers.count == cases.count)
    let cache = HeadCache()
    var counts = (both: 0, onlyPeer: 0, neither: 0)
    for ((method, bytes), answer) in zip(cases, answers) {
      let reading = ResponseReading([bytes], method, Limits(), cache)
      let text = "\(method) \(String(decoding: bytes, as: UTF8.self).debugDescription)"
      #expect(reading == ResponseReading(bytes.map { [$0] }, method, Limits(), HeadCache()), "\(text)")
      switch (reading.failure, answer.error) {
      case (nil, nil):
        counts.both += 1
        Self.compare(reading, answer, text)
      case (nil, let error?):
        let isExpected = Self.exceptions.contains { exception in
          (exception.message.isEmpty || error.contains(exception.message)) && exception.applies(reading, bytes)
        }
        #expect(isExpected, "h11: \(error); \(text)")
      case (_?, nil): counts.onlyPeer += 1
      case (_?, _?): counts.neither += 1
      }
    }
    // A test in which one reader refused nearly everything would show nothing.
    #expect(counts.both > Self.count / 5 && counts.neither > Self.count / 20, "\(counts)")
  }

  private static func compare(_ reading: ResponseReading, _ answer: PythonReader.Answer, _ text: String) {
    #expect(answer.status.map { "\($0)" } == reading.status.map { String($0.prefix(3)) }, "\(text)")
    #expect(answer.interim == reading.interim.count, "\(text)")
    #expect(answer.content == Data(reading.content), "\(text)")
    #expect(answer.rest == Data(reading.rest), "\(text)")
    // h11 also keeps a connection after a 204 that declares content.
    if reading.keepsConnection { #expect(answer.keeps == true, "\(text)") }
    #expect(Self.joined(answer.fields) == Self.plain(reading.fields), "\(text)")
    #expect(Self.joined(answer.trailers) == Self.plain(reading.trailers), "\(text)")
  }

  private static func joined(_ fields: [[String]]?) -> [String] {
    plain(fields?.map { $0.joined(separator: "=") } ?? [])
  }

  /// The fields of ASCII in lower case: h11 returns bytes, the reader decodes UTF-8, and h11 changes `CHUNKED`.
  private static func plain(_ fields: [String]) -> [String] {
    fields.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.map { $0.lowercased() }
  }
}
