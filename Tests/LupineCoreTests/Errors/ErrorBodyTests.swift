import Foundation
import HTTPTypes
import LupineFixtures
import LupineMock
@testable import LupineSession
@testable import LupineTransfers
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineStreams

/// The bytes of a response's body that an error keeps.
@Suite struct ErrorBodyTests: TransferSuite {
  private static let page = #"{"message":"no hippopotamus","code":7}"#
  let bench: TransferBench

  init() throws {
    var limits = Limits()
    limits.errorBody = 20
    limits.discardedBody = 100
    bench = try TransferBench { [limits] in $0.limits(limits) }
  }

  private var reply: MockReply { .text(Self.page, status: .badRequest).field(.contentType, "application/json") }
  private func text(_ body: Data?) -> String? { body.map { String(decoding: $0, as: UTF8.self) } }

  @Test(arguments: [0, 1, 2])
  func `the error of every kind of validator has the first bytes of the body`(rule: Int) async throws {
    let session = try TestBed(reply).session()
    let request = session.request(TestBed.url)
    switch rule {
    case 0: request.validate()
    case 1: request.validate(contentType: ["text/html"])
    default: request.validate { _, _, _ in throw CancellationError() }
    }
    let error = try #require(await request.serializingString().response.error)
    #expect(text(error.body) == Self.page)
    #expect(error.response?.status == .badRequest)
  }

  @Test func `the error of a serializer has the first bytes of the body`() async throws {
    let session = try TestBed(.text("no JSON")).session()
    let error = await session.request(TestBed.url).serializingJSON().response.error
    #expect(error?.kind == .serializationFailed)
    #expect(text(error?.body) == "no JSON")
    let thrown = await #expect(throws: LupineError.self) {
      try await session.request(TestBed.url).serializingJSON().value
    }
    #expect(text(thrown?.body) == "no JSON")
  }

  @Test func `an error without a body that was judged has none`() async throws {
    let session = try TestBed(.failure(.connectionRefused)).session()
    #expect(await session.request(TestBed.url).validate().serializingData().response.error?.body == nil)
    let empty = try TestBed(.status(.notFound)).session()
    #expect(await empty.request(TestBed.url).validate().serializingData().response.error?.body == nil)
  }

  @Test(arguments: [0, 1, 38, 64 << 10])
  func `at most Limits errorBody bytes are kept`(limit: Int64) async throws {
    var limits = Limits()
    limits.errorBody = limit
    let session = try TestBed(reply).session { [limits] in $0.limits(limits) }
    let error = await session.request(TestBed.url).validate().serializingData().response.error
    #expect(text(error?.body) ?? "" == String(Self.page.prefix(Int(limit))))
  }

  @Test func `a body is decoded before it is cut`() async throws {
    let coded = MockReply.text("ifmmp", status: .badRequest).field(.contentEncoding, "rot")
    let session = try TestBed(coded).session { $0.contentCoding(Rot("rot")) }
    #expect(text(await session.request(TestBed.url).validate().serializingData().response.error?.body) == "hello")
    let streamed = await session.streamRequest(TestBed.url).validate().failure()
    #expect(text(streamed?.body) == "hello")
  }

  @Test func `descriptions and dumps show its media type and its length, and nothing of its text`() async throws {
    let session = try TestBed(reply).session()
    let response = await session.request(TestBed.url).validate().serializingDecodable(Int.self).response
    let error = try #require(response.error)
    #expect(error.description.hasSuffix(" [status 400] [body: application/json, 38 bytes]"))
    var dumped = ""
    dump(error, to: &dumped)
    #expect(dumped.contains("application/json, 38 bytes"))
    for text in [error.description, error.debugged, error.message, error.localizedDescription, dumped] {
      #expect(!text.contains("hippopotamus"))
    }
    // A dump of the body's bytes would contain 104, the first letter of "hippopotamus".
    #expect(!dumped.contains("- 104\n"))
  }

  @Test func `the page in the place of a download is the body of its error`() async throws {
    mock.stub(.get, "/a", reply)
    for validates in [true, false] {
      let request = session.download("a", to: .file(folder.file("a")))
      if validates { request.validate() }
      let error = await request.serializingFile().response.error
      #expect(error?.kind == .unacceptableStatusCode(400))
      #expect(text(error?.body) == String(Self.page.prefix(20)))
    }
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [[String(repeating: "x", count: 300)], Array(repeating: "xxxxxxx", count: 50)], [true, false])
  func `the first bytes of a body that is too long are kept`(pieces: [String], validates: Bool) async throws {
    mock.stub(.get, "/a", MockReply.status(.badRequest).chunked(pieces))
    let request = session.download("a", to: .file(folder.file("a")))
    if validates { request.validate() }
    let error = await request.serializingFile().response.error
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(text(error?.body) == String(repeating: "x", count: 20))
  }

  @Test func `a file that a validator refuses is the body of its error, and is removed`() async throws {
    mock.stub(.get, "/a", MockReply.text("<p>Please log in to the hotel's network"))
    let response = await session.download("a", to: .file(folder.file("a")))
      .validate(contentType: ["application/zip"]).serializingFile().response
    #expect(response.error?.kind == .unacceptableContentType("text/plain"))
    #expect(text(response.error?.body) == "<p>Please log in to ")
    #expect(folder.names.isEmpty)
  }

  @Test func `the error of a refused rest has the bytes of the rest, not the earlier ones`() async throws {
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    let data = await session.download("a", to: .file(folder.file("a"))).serializingFile().response.resumeData
    let response = await session.download(resumingWith: try #require(data)).validate(statusCode: 200..<201)
      .serializingFile().response
    #expect(text(response.error?.body) == "456789")
    #expect(response.error?.resumeData != nil)
  }

  @Test func `a file that does not decode is the body of its error`() async throws {
    mock.stub(.get, "/a", MockReply.text(Self.page))
    let response = await session.download("a", to: .file(folder.file("a"))).serializingDecodable(Int.self).response
    #expect(response.error?.kind == .serializationFailed)
    #expect(text(response.error?.body) == String(Self.page.prefix(20)))
  }
}

extension LupineError {
  fileprivate var debugged: String { String(reflecting: self) }
}

extension DataStreamRequest {
  /// The error that the stream ends with.
  func failure() async -> LupineError? {
    do throws(LupineError) {
      for try await _ in serializingBytes() {}
      return nil
    } catch {
      return error
    }
  }
}
