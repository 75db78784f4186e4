import Dispatch
import Foundation
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import LupineTransfers
import Testing

/// Values that serializers make of a downloaded file.
@Suite struct DownloadSerializingTests {
  private struct User: Codable, Sendable, Equatable {
    var name: String
  }

  /// A program's own serializer, which returns the number of bytes that it receives.
  private struct Length: ResponseSerializer {
    func serialize(_ response: ReceivedResponse) throws -> Int { response.data.count }
  }

  private struct Failure: Error {}

  private let folder: TemporaryFolder
  private let mock = MockTransport()
  private let content = #"{"name":"mattt"}"#
  private let url = "https://example.com/user"

  init() throws {
    folder = try TemporaryFolder()
    mock.stub(.get, url, MockReply.text(content).field(.contentType, "application/json"))
  }

  private func session(limit: Int64? = nil) throws -> Session {
    var limits = Limits()
    if let limit { limits.responseBody = limit }
    return try Session.Builder().transport(mock).limits(limits).build()
  }

  private func download(limit: Int64? = nil) throws -> DownloadRequest {
    try session(limit: limit).download(url, to: .file(folder.file("user"), .removePreviousFile))
  }

  @Test func `a file is awaited as bytes, text, JSON, a value, and whatever a serializer makes`() async throws {
    let request = try download()
    #expect(try await request.serializingData().value == Data(content.utf8))
    #expect(try await request.serializingString().value == content)
    #expect(try await request.serializingJSON().value == ["name": "mattt"])
    #expect(try await request.serializingDecodable(User.self).value == User(name: "mattt"))
    #expect(try await request.serializingResponse(using: Length()).value == content.utf8.count)
    #expect(try await request.serializingFile().value.path == folder.file("user"))
    #expect(mock.requests.count == 1)
  }

  @Test func `an empty file is an empty response, an error unless one is allowed`() async throws {
    mock.stub(.get, "https://example.com/empty", .status(.ok))
    let request = try session().download("https://example.com/empty", to: .file(folder.file("empty")))
    #expect(await request.serializingData().response.error?.kind == .emptyResponse)
    #expect(
      try await request.serializingResponse(using: DataResponseSerializer(emptyResponseCodes: [200])).value.isEmpty)
    #expect(try await request.serializingFile().value.path == folder.file("empty"))
    #expect(try folder.text("empty").isEmpty)
  }

  @Test func `handlers have the same, in order`() async throws {
    let session = try session()
    let notes = Notes<String>()
    session.download(url, to: .file(folder.file("user")))
      .response { notes.add($0.value?.lastPathComponent ?? "") }
      .responseData { notes.add("\($0.value?.count ?? 0)") }
      .responseString { notes.add($0.value ?? "") }
      .responseJSON { notes.add($0.value?["name"]?.string ?? "") }
      .responseDecodable(of: User.self) { notes.add($0.value?.name ?? "") }
      .response(responseSerializer: Length()) { notes.add("\($0.value ?? 0) \($0.fileURL?.lastPathComponent ?? "")") }
    await session.finishRequests()
    #expect(notes.all == ["user", "16", content, "mattt", "mattt", "16 user"])
  }

  @Test func `a handler of a serializer is called on its queue`() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "downloads")
    queue.setSpecific(key: key, value: "here")
    let places = Notes<String?>()
    let session = try session()
    session.download(url).responseString(queue: queue) { response in
      places.add(DispatchQueue.getSpecific(key: key))
      if let file = response.fileURL { try? FileManager.default.removeItem(at: file) }
    }
    await session.finishRequests()
    #expect(places.all == ["here"])
  }

  @Test func `a property list is read`() async throws {
    let list = try PropertyListEncoder().encode(["name": "mattt"])
    mock.stub(.get, "https://example.com/list", .data(list))
    let request = try session().download("https://example.com/list", to: .file(folder.file("list")))
    #expect(try await request.serializingPropertyList().value == .dictionary(["name": .string("mattt")]))
  }

  @Test func `a file that is larger than memory may hold is an error, and stays`() async throws {
    let response = try await download(limit: 15).serializingString().response
    #expect(response.error?.kind == .limitExceeded(.responseBody))
    #expect(response.fileURL?.path == folder.file("user"))
    #expect(try folder.text("user") == content)
    #expect(try await download(limit: 16).serializingString().value == content)
  }

  @Test func `a file that is no such value is an error about its response, and stays`() async throws {
    let response = try await download().serializingDecodable([Int].self).response
    #expect(response.error?.kind == .serializationFailed)
    #expect(response.error?.response?.status == .ok)
    #expect(try folder.text("user") == content)
  }

  @Test func `a file that is gone by then is an error`() async throws {
    let request = try download()
    _ = try await request.serializingFile().value
    try FileManager.default.removeItem(atPath: folder.file("user"))
    #expect(await request.serializingString().response.error?.kind == .fileFailed)
  }

  @Test func `a response's value and error can be changed`() async throws {
    let good = try await download().serializingString().response
    #expect(good.map(\.count).value == 16)
    #expect(good.map(\.count).fileURL == good.fileURL)
    let thrown = good.tryMap { _ -> Int in throw Failure() }
    #expect(thrown.error?.kind == .serializationFailed)
    #expect(thrown.error?.underlying is Failure)
    #expect(good.mapError { _ in LupineError(.other, "x") }.value == content)
    let bad = try await download(limit: 1).serializingString().response
    #expect(bad.mapError { _ in LupineError(.cancelled, "x") }.error?.kind == .cancelled)
    #expect(bad.tryMapError { _ in throw Failure() }.error?.underlying is Failure)
    #expect(bad.tryMapError { _ in throw Failure() }.error?.kind == .other)
  }
}
