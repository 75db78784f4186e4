import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct DefaultFieldsTests {
  @Test(
    arguments: [
      (["LANG": "de_AT.UTF-8"], "de-AT;q=1.0"),
      (["LANG": "C"], nil),
      (["LANG": "de_DE", "LC_ALL": "C.UTF-8"], nil),
      (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], "fr-FR;q=1.0"),
      (["LANGUAGE": "de", "LC_ALL": "POSIX"], nil),
      ([:], nil),
      (["LANGUAGE": "de:en_US", "LANG": "fr_FR@euro"], "de;q=1.0, en-US;q=0.9, fr-FR;q=0.8"),
      (["LC_ALL": "en_US.UTF-8", "LANG": "en_US.UTF-8"], "en-US;q=1.0"),
      (
        ["LANGUAGE": "aa:bb:cc:dd:ee:ff:gg:hh", "LANG": "en_US"],
        "aa;q=1.0, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
      ),
      (["LANG": "sr_RS@latin"], "sr-RS;q=1.0"),
      (["LANG": "x\r\nEvil: 1"], nil),
      (["LANG": "../../etc"], nil),
    ] as [([String: String], String?)])
  func `the languages of the environment, as the field has them`(environment: [String: String], expected: String?) {
    #expect(DefaultFields.acceptLanguage { environment[$0] } == expected)
  }

  @Test func `the user agent names a program, the system and this library`() {
    let agent = DefaultFields.userAgent
    #expect(agent.hasSuffix(" Lupine/\(Session.libraryVersion)"))
    #expect(agent.contains("/Unknown (Linux "))
    #expect(FieldRules.isValid(value: agent))
  }

  @Test func `without codings no Accept-Encoding is sent`() async throws {
    let bench = TestBed()
    _ = try await bench.session().request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.first?.headers[.acceptEncoding] == nil)
  }

  @Test func `the session accepts the codings it can undo`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.contentCoding(Rot("rot")).contentCoding(Rot("other")) }
    _ = try await session.request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.first?.headers[.acceptEncoding] == "rot;q=1.0, other;q=0.9")
  }

  @Test(
    arguments: [
      ([.range: "bytes=0-4"], "identity"), ([.range: "bytes=0-4", .acceptEncoding: "rot"], "rot"),
      ([.accept: "*/*"], "rot;q=1.0"), ([:], "rot;q=1.0"),
    ] as [(HTTPFields, String)])
  func `a range is asked for of the content as it is`(fields: HTTPFields, expected: String) async throws {
    let bench = TestBed()
    let session = try bench.session { $0.contentCoding(Rot("rot")) }
    _ = try await session.request(TestBed.url, headers: RequestHeaders(fields)).serializingData().value
    #expect(bench.mock.requests.first?.headers[values: .acceptEncoding] == [expected])
  }

  @Test(arguments: [(nil, "*/*"), ("application/json", "application/json"), ("", "")] as [(String?, String)])
  func `each request accepts every media type, unless it says otherwise`(own: String?, expected: String) async throws {
    let bench = TestBed()
    let headers = own.map { RequestHeaders([.accept: $0] as HTTPFields) } ?? RequestHeaders()
    _ = try await bench.session().request(TestBed.url, headers: headers).serializingData().value
    #expect(bench.mock.requests.first?.headers[values: .accept] == [expected])
  }

  @Test func `a field that the builder was given is not made`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.header(.userAgent, "mine").header(.acceptLanguage, "tlh") }
    _ = try await session.request(TestBed.url).serializingData().value
    #expect(bench.mock.requests.first?.headers[values: .userAgent] == ["mine"])
    #expect(bench.mock.requests.first?.headers[.acceptLanguage] == "tlh")
  }
}

/// A coding that adds one to each byte, so that a test detects whether a body was decoded.
struct Rot: ContentCoding {
  let name: String
  let aliases: [String]

  init(_ name: String, aliases: [String] = []) {
    self.name = name
    self.aliases = aliases
  }

  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer { RotStage(by: 255) }
  func makeEncoder() throws(LupineError) -> any BodyTransformer { RotStage(by: 1) }
}

final class RotStage: BodyTransformer {
  private let step: UInt8

  init(by step: UInt8) { self.step = step }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    let bytes = input.map { $0 &+ step }
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, LupineError> in
      do throws(LupineError) { return .success(try output(bytes)) } catch { return .failure(error) }
    }
    try result.get()
  }

  func finish(into output: Output) throws(LupineError) {}
}
