import Foundation
import HTTPTypes
import LupineFixtures
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineTransfers
@testable import LupineStreams
@testable import LupineSession

/// A service's own error, decoded from the body of a refused response.
@Suite struct ServiceErrorTests {
  private struct APIError: Error, Decodable, Equatable {
    var message: String
    var code: Int
  }

  private struct Item: Decodable, Sendable, Equatable { var name: String }

  private static let wrong = APIError(message: "Wrong key.", code: 7)
  private static let refused = MockReply.text(#"{"message":"Wrong key.","code":7}"#, status: .badRequest)
    .field(.contentType, "application/json")

  private func check(_ error: LupineError?) {
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(error?.serviceError(as: APIError.self) == Self.wrong)
    #expect(error?.underlying as? APIError == Self.wrong)
  }

  @Test func `a request throws its refusal with the service's own error`() async throws {
    let session = try TestBed(Self.refused).session()
    func request() -> DataRequest { session.request(TestBed.url).validate() }
    check(
      await #expect(throws: LupineError.self) {
        try await request().serializingDecodable(Item.self, error: APIError.self).value
      })
    check(await request().serializingDecodable(Item.self, error: APIError.self).response.error)
    check(
      await withCheckedContinuation { done in
        request().responseDecodable(of: Item.self, error: APIError.self) { done.resume(returning: $0.error) }
      })
    check(
      await session.upload(Data("x".utf8), to: TestBed.url).validate()
        .serializingDecodable(Item.self, error: APIError.self).response.error)
  }

  @Test func `a download fails with the service's own error`() async throws {
    let folder = try TemporaryFolder()
    let session = try TestBed(Self.refused).session()
    func request() -> DownloadRequest { session.download(TestBed.url, to: .file(folder.file("a"))) }
    check(await request().serializingDecodable(Item.self, error: APIError.self).response.error)
    check(
      await withCheckedContinuation { done in
        request().responseDecodable(of: Item.self, error: APIError.self) { done.resume(returning: $0.error) }
      })
  }

  @Test func `streams fail with the service's own error`() async throws {
    let session = try TestBed(Self.refused).session()
    func request() -> DataStreamRequest { session.streamRequest(TestBed.url).validate() }
    check(
      await #expect(throws: LupineError.self) {
        for try await _ in request().serializingEvents(error: APIError.self) {}
      })
    check(
      await #expect(throws: LupineError.self) {
        for try await _ in request().serializingDecodableLines(of: Item.self, error: APIError.self) {}
      })
    check(
      await withCheckedContinuation { done in
        request().responseStreamEvent(error: APIError.self) {
          if let end = $0.completion { done.resume(returning: end.error) }
        }
      })
    check(
      await withCheckedContinuation { done in
        request().responseStreamDecodable(of: Item.self, error: APIError.self) {
          if let end = $0.completion { done.resume(returning: end.error) }
        }
      })
  }

  @Test func `a response of another media type than events brings the service's own error`() async throws {
    let session = try TestBed(Self.refused.status(.ok)).session()
    let error = await #expect(throws: LupineError.self) {
      for try await _ in session.streamRequest(TestBed.url).serializingEvents(error: APIError.self) {}
    }
    #expect(error?.kind == .unacceptableContentType("application/json"))
    #expect(error?.serviceError() == Self.wrong)
  }

  @Test(arguments: ["<p>Bad gateway", "", #"{"message":"no code"}"#])
  func `a body that is no such error leaves the refusal as it is`(body: String) async throws {
    let session = try TestBed(.text(body, status: .badRequest)).session()
    let error = await session.request(TestBed.url).validate().serializingDecodable(Item.self, error: APIError.self)
      .response.error
    #expect(error?.kind == .unacceptableStatusCode(400))
    #expect(error?.serviceError(as: APIError.self) == nil)
    #expect(error?.underlying == nil)
  }

  @Test func `an error in the place of a value keeps the decoder's beside it`() async throws {
    let session = try TestBed(Self.refused.status(.ok)).session()
    let error = await session.request(TestBed.url).validate().serializingDecodable(Item.self, error: APIError.self)
      .response.error
    #expect(error?.kind == .serializationFailed)
    #expect(error?.underlying is DecodingError)
    #expect(error?.serviceError(as: APIError.self) == Self.wrong)
  }

  @Test func `a good response is its value`() async throws {
    let session = try TestBed(.text(#"{"name":"a"}"#)).session()
    let task = session.request(TestBed.url).validate().serializingDecodable(Item.self, error: APIError.self)
    #expect(try await task.value == Item(name: "a"))
  }

  @Test func `it is decoded as values are, with the session's decoder and preprocessor`() async throws {
    struct Coded: Error, Decodable { var errorCode: Int }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let session = try TestBed(.text(")]}',\n{\"error_code\":7}", status: .badRequest)).session {
      $0.decoder(decoder).serializers(preprocessor: .googleXSSI)
    }
    let error = await session.request(TestBed.url).validate().serializingDecodable(Item.self, error: Coded.self)
      .response.error
    #expect(error?.serviceError(as: Coded.self)?.errorCode == 7)
  }

  @Test func `it can be decoded from any error that has a body`() async throws {
    let session = try TestBed(Self.refused).session()
    let error = await session.request(TestBed.url).validate().serializingString().response.error
    #expect(error?.underlying == nil)
    #expect(error?.serviceError(as: APIError.self) == Self.wrong)
  }

  @Test func `its fields are no part of the message`() async throws {
    let session = try TestBed(Self.refused).session()
    let error = await session.request(TestBed.url).validate().serializingDecodable(Item.self, error: APIError.self)
      .response.error
    #expect(error?.description.contains("Wrong key") == false)
  }
}
