import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineMultipart
import Testing

@Suite struct MultipartMatcherTests {
  private static let url = "https://example.com/upload"

  private func request() throws -> RequestSnapshot {
    var form = MultipartFormData()
    form.append("rainbow", name: "title")
    form.append(Data([0, 1]), name: "unicorn", fileName: "unicorn.png")
    let request = try OutgoingRequest(Self.url, method: .post).encoding(multipart: form)
    return RequestSnapshot(
      method: .post, url: request.url, headers: request.headers, body: Data(try bytes(of: request.body)))
  }

  @Test(
    arguments: [
      .multipart(name: "title"), .multipart(name: "title", "rainbow"), .multipart(name: nil, "rainbow"),
      .multipart(name: "unicorn", fileName: "unicorn.png", contentType: "IMAGE/png"),
      .multipart(name: "unicorn", Data([0, 1]), fileName: "unicorn.png"),
    ] as [RequestCondition]) func `a part that is there fits`(condition: RequestCondition) throws
  {
    #expect(try condition.difference(from: request()) == nil)
  }

  @Test(
    arguments: [
      (
        .multipart(name: "colour"), "multipart part \"colour\": it is missing; the body has only \"title\", \"unicorn\""
      ),
      (
        .multipart(name: "a\u{202E}b\u{1B}"),
        #"multipart part "a\u{202E}b\u{1B}": it is missing; the body has only "title", "unicorn""#
      ),
      (.multipart(name: "title", "rain"), "multipart part \"title\" with \"rain\": it has \"rainbow\""),
      (
        .multipart(name: "unicorn", fileName: "horse.png"),
        "multipart part \"unicorn\" with file name \"horse.png\": its file name is \"unicorn.png\""
      ),
      (
        .multipart(name: "title", contentType: "text/plain"),
        "multipart part \"title\" of type text/plain: its type is missing"
      ),
    ] as [(RequestCondition, String)])
  func `differences are reported`(condition: RequestCondition, difference: String) throws {
    #expect(try condition.difference(from: request()) == difference)
  }

  @Test func `a body that is no multipart does not fit`() throws {
    let request = RequestSnapshot(method: .post, url: try HTTPURL(Self.url), body: Data("x".utf8))
    #expect(RequestCondition.multipart(name: "a").difference(from: request)?.contains("cannot be read") == true)
  }

  @Test func `a stub of the mock is found by a part`() async throws {
    let mock = MockTransport()
    mock.stub(.post, Self.url, where: [.multipart(name: "title", "rainbow")], .text("found"))
    mock.stub(.post, Self.url, where: [.multipart(name: "title", "grey")], .text("wrong"))
    let session = try Session.Builder().transport(mock).build()
    let answer = session.upload(multipart: { $0.append("rainbow", name: "title") }, to: Self.url)
    #expect(try await answer.serializingString().value == "found")
  }
}
