import FoundationEssentials
import HTTPTypes
import LupineMock
@testable import LupineSession
import Testing

@testable import LupineCore

@Suite struct ValidationTests {
  @Test(arguments: [200, 204, 299])
  func `a status of success passes`(status: Int) async throws {
    let session = try TestBed(status == 204 ? .empty : .text("x", status: .init(code: status))).session()
    #expect(await session.request(TestBed.url).validate().serializingData().response.error == nil)
  }

  @Test(arguments: [300, 404, 500])
  func `another is refused, with the response beside the error`(status: Int) async throws {
    let session = try TestBed(.text("why", status: .init(code: status))).session()
    let response = await session.request(TestBed.url).validate().serializingString().response
    #expect(response.error?.kind == .unacceptableStatusCode(status))
    #expect(response.error?.request?.method == .get)
    #expect(response.error?.response?.status.code == status)
    #expect(response.data == Data("why".utf8))
  }

  @Test func `without validation every status is a response`() async throws {
    let session = try TestBed(.text("why", status: .internalServerError)).session()
    #expect(try await session.request(TestBed.url).serializingString().value == "why")
  }

  /// Why a closure refuses a response.
  private struct Refusal: Error {}

  @Test func `a closure that returns a failure refuses the response`() async throws {
    let session = try TestBed(.text("why")).session()
    let refused = [
      session.request(TestBed.url).validate { _, _, _ in .failure(Refusal()) },
      session.request(TestBed.url).validate { _, _, _ in Result<Void, Refusal>.failure(Refusal()) },
      session.request(TestBed.url).validate { _, _, _ in Result<HTTPResponse, any Error>.failure(Refusal()) },
      session.request(TestBed.url).validate { _, response, data in
        guard data.isEmpty else { return Result<HTTPResponse, Refusal>.failure(Refusal()) }
        return .success(response)
      },
      session.request(TestBed.url).validate { _, response, data in
        guard response.status == .ok, data.isEmpty else { return .failure(Refusal()) }
        return .success(())
      },
    ]
    for request in refused {
      let error = await request.serializingString().response.error
      #expect(error?.kind == .validationFailed)
      #expect(error?.underlying is Refusal)
    }
  }

  @Test func `a closure that returns nothing refuses a response by throwing`() async throws {
    let session = try TestBed(.text("why")).session()
    let refused = [
      session.request(TestBed.url).validate { _, _, _ in throw Refusal() },
      session.request(TestBed.url).validate { _, response, _ in
        guard response.status != .ok else { throw Refusal() }
      },
      session.request(TestBed.url).validate { _, response, _ in if response.status == .ok { throw Refusal() } },
      session.request(TestBed.url).validate { _, response, _ in
        switch response.status {
        case .ok: throw Refusal()
        default: return
        }
      },
    ]
    for request in refused {
      #expect(await request.serializingString().response.error?.underlying is Refusal)
    }
    let accepted = session.request(TestBed.url).validate { _, _, _ in }
    #expect(try await accepted.serializingString().value == "why")
  }

  /// A check as programs write it: it returns a result, and can throw as well.
  private static func check(_ data: Data, throwing: Bool = false) throws -> Result<Void, Refusal> {
    if throwing { throw Refusal() }
    return data.isEmpty ? .success(()) : .failure(Refusal())
  }

  @Test func `the result of a closure that can throw as well counts`() async throws {
    let session = try TestBed(.text("why")).session()
    let refused = [
      session.request(TestBed.url).validate { _, _, data in try Self.check(data) },
      session.request(TestBed.url).validate { _, _, data in try Self.check(data, throwing: true) },
      session.request(TestBed.url).validate { _, _, _ in
        _ = try Self.check(Data())
        return .failure(Refusal())
      },
      session.request(TestBed.url).validate { _, _, data in
        let result = try Self.check(data)
        return result
      },
      session.request(TestBed.url).validate { _, response, data in
        switch response.status {
        case .ok: try Self.check(data)
        default: try Self.check(Data())
        }
      },
      session.request(TestBed.url).validate { _, response, data in
        if response.status == .ok { Result<Void, Refusal>.failure(Refusal()) } else { .success(()) }
      },
    ]
    for request in refused {
      let error = await request.serializingString().response.error
      #expect(error?.kind == .validationFailed)
      #expect(error?.underlying is Refusal)
    }
    let accepted = session.request(TestBed.url).validate { _, _, _ in
      _ = try Self.check(Data())
      return .success(())
    }
    #expect(try await accepted.serializingString().value == "why")
  }

  @Test func `a closure that returns a success accepts the response`() async throws {
    let request = try TestBed(.text("why")).session().request(TestBed.url)
      .validate { _, _, _ in .success(()) }
      .validate { _, response, _ in response.status == .ok ? .success(()) : .failure(Refusal()) }
    #expect(try await request.serializingString().value == "why")
  }

  @Test func `a closure that throws refuses the response, and one that returns nothing accepts it`() async throws {
    let notes = Notes<Int>()
    let session = try TestBed(.text("why")).session()
    let accepted = session.request(TestBed.url).validate { _, response, data in
      notes.add(response.status.code)
      notes.add(data.count)
    }
    #expect(try await accepted.serializingString().value == "why")
    #expect(notes.all == [200, 3])
    let refused = session.request(TestBed.url).validate { _, _, data in
      if !data.isEmpty { throw Refusal() }
    }
    #expect(await refused.serializingString().response.error?.underlying is Refusal)
    let alone = session.request(TestBed.url).validate { _, _, _ in throw Refusal() }
    #expect(await alone.serializingString().response.error?.underlying is Refusal)
  }

  @Test func `validators run in their order and the first refusal counts`() async throws {
    let notes = Notes<Int>()
    let session = try TestBed(.text("x", status: .notFound)).session()
    let response = await session.request(TestBed.url)
      .validate { _, _, _ in notes.add(1) }.validate(statusCode: 200..<300).validate { _, _, _ in notes.add(2) }
      .serializingData().response
    #expect(response.error?.kind == .unacceptableStatusCode(404))
    #expect(notes.all == [1])
  }

  @Test func `a media type that Accept does not name is refused`() async throws {
    let session = try TestBed(.text("x")).session()
    let response = await session.request(TestBed.url, headers: [.accept: "application/json"]).validate()
      .serializingData().response
    #expect(response.error?.kind == .unacceptableContentType("text/plain"))
  }

  @Test func `a 401 that a module could answer names the module`() async throws {
    let session = try TestBed(.challenge("Digest realm=\"x\", nonce=\"y\"")).session()
    let response = await session.request(TestBed.url).validate().serializingData().response
    #expect(response.error?.message.contains("LupineAuthentication") == true)
  }
}
