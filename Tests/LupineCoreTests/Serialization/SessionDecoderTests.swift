import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession
@testable import LupineCoding

@Suite struct SessionDecoderTests {
  private let bench = TestBed(.text(#"{"published_at": 1}"#))

  private func session() throws -> Session {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try bench.session { $0.decoder(decoder) }
  }

  @Test func `a serializer without a decoder uses the session's`() async throws {
    let serializer = DecodableResponseSerializer(of: Article.self)
    #expect(
      try await session().request(TestBed.url).serializingResponse(using: serializer).value == Article(publishedAt: 1))
    #expect(
      try await session().download(TestBed.url).serializingResponse(using: .decodable(of: Article.self)).value
        == Article(publishedAt: 1))
  }

  @Test func `a serializer within one of the program's uses the session's decoder`() async throws {
    #expect(try await session().request(TestBed.url).serializingResponse(using: Publication()).value == 1)
  }

  @Test func `a handler's serializer uses the session's decoder`() async throws {
    let noted = Notes<Int?>()
    let session = try session()
    session.request(TestBed.url).response(responseSerializer: Publication()) { noted.add($0.value) }
    session.download(TestBed.url).response(responseSerializer: Publication()) { noted.add($0.value) }
    await session.finishRequests()
    #expect(noted.all == [1, 1])
  }

  @Test func `a serializer's own decoder comes before the session's`() async throws {
    let serializer = DecodableResponseSerializer(of: Article.self, decoder: JSONDecoder())
    let result = try await session().request(TestBed.url).serializingResponse(using: serializer).result
    #expect(throws: LupineError.self) { try result.get() }
  }

  @Test func `a request names the codes of its empty responses`() async throws {
    let session = try TestBed(.status(.created)).session()
    let codes: Set = [201]
    #expect(
      try await session.request(TestBed.url, method: .post)
        .serializingDecodable(Article?.self, emptyResponseCodes: codes).value == nil)
    #expect(
      try await session.request(TestBed.url, method: .delete)
        .serializingDecodable(Article?.self, emptyRequestMethods: [.delete]).value == nil)
    #expect(
      try await session.request(TestBed.url).serializingResponse(
        using: .decodable(of: Article?.self, emptyResponseCodes: codes)
      ).value == nil)
    let refused = await session.request(TestBed.url, method: .post).serializingDecodable(Article?.self).result
    #expect(throws: LupineError.self) { try refused.get() }
  }

  @Test func `a handler names the codes of its empty responses`() async throws {
    let noted = Notes<Result<Article?, LupineError>>()
    let session = try TestBed(.status(.created)).session()
    session.request(TestBed.url, method: .post)
      .responseDecodable(of: Article?.self, emptyResponseCodes: [201]) { noted.add($0.result) }
    await session.finishRequests()
    #expect(try noted.all.first?.get() == .some(nil))
  }

  @Test func `a request that names no codes of empty responses uses the session's`() async throws {
    let session = try TestBed(.status(.accepted)).session { $0.serializers(emptyResponseCodes: [202]) }
    let request = session.request(TestBed.url, method: .post)
    #expect(
      try await request.serializingDecodable(Article?.self, emptyRequestMethods: [.delete]).value == nil)
  }
}

private struct Article: Decodable, Sendable, Equatable {
  var publishedAt: Int
}

/// A program's own serializer, which decodes with `DecodableResponseSerializer`.
private struct Publication: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Int {
    try DecodableResponseSerializer(of: Article.self).serialize(response).publishedAt
  }
}
