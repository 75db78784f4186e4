import FoundationEssentials
import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct ContentCodingsTests {
  /// Receives a body with these content codings over a session that supports `rot`, with the alias `x-rot`.
  private func receive(_ coding: String, _ text: String, limits: Limits = Limits()) async throws -> String {
    let reply = MockReply.text(text).field(.contentEncoding, coding)
    let session = try TestBed(reply).session { $0.contentCoding(Rot("rot", aliases: ["x-rot"])).limits(limits) }
    return try await session.request(TestBed.url).serializingString().value
  }

  @Test(arguments: [
    ("rot", "ifmmp"), ("ROT", "ifmmp"), ("x-rot", "ifmmp"), ("identity", "hello"), ("rot, identity", "ifmmp"),
    ("rot, rot", "jgnnq"), (" rot\t,, ", "ifmmp"),
  ])
  func `codings are undone, the last first`(coding: String, body: String) async throws {
    #expect(try await receive(coding, body) == "hello")
  }

  @Test(arguments: [("mystery", "hello"), ("rot, mystery", "hello")])
  func `an unknown coding is left to the caller, with the codings beneath it`(coding: String, body: String) async throws
  {
    #expect(try await receive(coding, body) == "hello")
  }

  @Test func `more codings than the limit are an error`() async throws {
    let error = await #expect(throws: LupineError.self) { try await receive("rot, rot, rot, rot", "x") }
    #expect(error?.kind == .limitExceeded(.contentCodings))
  }

  @Test(arguments: [HTTPResponse.Status.noContent, .notModified])
  func `a response without a body may name a coding`(status: HTTPResponse.Status) async throws {
    let session = try TestBed(.status(status).field(.contentEncoding, "rot")).session { $0.contentCoding(Rot("rot")) }
    let response = await session.request(TestBed.url).serializingData().response
    #expect(response.response?.status == status)
    #expect(response.data?.isEmpty == true)
  }

  @Test(
    arguments: [
      ("bytes 0-4/5", "hello"), ("bytes 0-4/*", "ifmmp"), ("bytes 1-5/6", "ifmmp"), ("bytes 0-4/6", "ifmmp"),
      ("bytes 5-9/*", "ifmmp"), (nil, "ifmmp"),
    ] as [(String?, String)])
  func `a part of coded content is left as it is`(range: String?, body: String) async throws {
    var reply = MockReply.text("ifmmp", status: .partialContent).field(.contentEncoding, "rot")
    if let range { reply = reply.field(.contentRange, range) }
    let session = try TestBed(reply).session { $0.contentCoding(Rot("rot")) }
    #expect(try await session.request(TestBed.url).serializingString().value == body)
  }

  @Test func `two codings together have the ratio limit of one`() throws {
    let head = HTTPResponse(status: .ok, headerFields: [.contentEncoding: "grow, grow"])
    var limits = Limits()
    limits.decodingRatio = 100
    let decoders = ContentCodings([Growing()]).decoders(for: head, limits: limits)
    let input = [UInt8](repeating: 0, count: 32_768)
    let error = #expect(throws: LupineError.self) {
      try input.withUnsafeBytes { try decoders[...].pass($0) { _ in } }
    }
    #expect(error?.kind == .limitExceeded(.decodingRatio))
  }
}

/// A coding that decodes each byte to fifty bytes.
private struct Growing: ContentCoding {
  var name: String { "grow" }
  var aliases: [String] { [] }

  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer { Stage() }
  func makeEncoder() throws(LupineError) -> any BodyTransformer { Stage() }

  private final class Stage: BodyTransformer {
    func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
      let grown = [UInt8](repeating: 0, count: input.count * 50)
      try grown.withUnsafeBufferPointer { (bytes) throws(LupineError) in try output(UnsafeRawBufferPointer(bytes)) }
    }

    func finish(into output: Output) throws(LupineError) {}
  }
}
