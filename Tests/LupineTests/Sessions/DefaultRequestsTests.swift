import FoundationEssentials
import LupineMock
import Testing

@testable import Lupine

/// The functions take the arguments of a session's methods, in requests that have no valid URL and so send nothing.
@Suite struct DefaultRequestsTests {
  init() throws { _ = try DefaultSessionTests.replacement.get() }

  private static let url = "ftp://example.com/x"
  private static let mixed: [String: any Encodable & Sendable] = ["a": "b", "c": 1]

  private func ends(_ requests: [any SessionRequest]) async {
    for request in requests {
      let error = await request.execution.outcome().error
      #expect(error?.kind == .invalidURL)
    }
  }

  @Test func `Lupine.request takes what a session's request takes`() async {
    let fields: RequestHeaders = [.accept: "a/b"]
    await ends([
      Lupine.request(Self.url, headers: ["X-Trace": "42"]), Lupine.request(Self.url, headers: fields),
      Lupine.request(Self.url, parameters: Self.mixed, headers: fields),
      Lupine.request(Self.url, parameters: Flower(name: "lupine"), headers: [.accept("a/b")]),
      Lupine.request("ftp://x/{a}", path: ["a": 1]),
      Lupine.request("ftp://x/{a}", path: ["a": 1], parameters: Self.mixed),
      Lupine.request("ftp://x/{a}", path: ["a": 1], parameters: Flower(name: "lupine")),
    ])
  }

  @Test func `Lupine.upload takes what a session's upload takes`() async {
    let fields: RequestHeaders = [.accept: "a/b"]
    await ends([
      Lupine.upload(Data("a".utf8), to: Self.url), Lupine.upload(.text("a"), to: Self.url, method: .put),
      Lupine.upload(.text("a"), to: Self.url, headers: ["X-Trace": "42"], expectsContinue: true),
      Lupine.upload(Data("a".utf8), to: Self.url, headers: fields),
      Lupine.upload(.text("a"), to: Self.url, headers: fields),
      Lupine.upload(multipart: { $0.append("a", name: "b") }, to: Self.url),
      Lupine.upload(multipart: { $0.append("a", name: "b") }, to: Self.url, headers: fields),
      Lupine.upload(multipart: MultipartFormData(), to: Self.url, headers: [.accept("a/b")]),
      Lupine.upload(multipart: MultipartFormData(), to: Self.url, headers: fields), Lupine.upload(Route()),
    ])
  }

  @Test func `Lupine.download takes what a session's download takes`() async {
    let fields: RequestHeaders = [.accept: "a/b"]
    await ends([
      Lupine.download(Self.url), Lupine.download(Self.url, parameters: ["a": [1, 2]], to: .temporary),
      Lupine.download(Self.url, parameters: Self.mixed, headers: ["X-Trace": "42"]),
      Lupine.download(Self.url, parameters: Flower(name: "lupine"), headers: fields),
      Lupine.download(Self.url, headers: fields), Lupine.download(Self.url, parameters: Self.mixed, headers: fields),
      Lupine.download(Route(), to: .temporary),
    ])
    for request in [
      Lupine.download(resumingWith: Data()), Lupine.download(resumingWith: Data(), url: Self.url, headers: fields),
      Lupine.download(resumingWith: Data(), headers: ["X-Trace": "42"], to: .temporary, otherwise: .fail),
    ] {
      #expect(await request.execution.outcome().error != nil)
    }
  }

  @Test func `Lupine.streamRequest takes what a session's streamRequest takes`() async {
    let fields: RequestHeaders = [.accept: "a/b"]
    await ends([
      Lupine.streamRequest(Self.url, window: 1), Lupine.streamRequest(Self.url, headers: ["X-Trace": "42"]),
      Lupine.streamRequest(Self.url, parameters: Self.mixed), Lupine.streamRequest(Self.url, headers: fields),
      Lupine.streamRequest(Self.url, parameters: Flower(name: "lupine"), headers: fields),
      Lupine.streamRequest(Self.url, parameters: Self.mixed, headers: fields), Lupine.streamRequest(Route()),
    ])
  }

  @Test func `every function with parameters takes nested literals with variables`() async {
    let (name, fields): (String, RequestHeaders) = ("lupine", [.accept: "a/b"])
    await ends([
      Lupine.request(Self.url, parameters: ["a": name, "b": ["c": name, "d": 1]]),
      Lupine.request(Self.url, parameters: ["a": name, "b": ["c": name, "d": 1]], headers: fields),
      Lupine.request("ftp://x/{a}", path: ["a": 1], parameters: ["a": name, "b": ["c": name, "d": 1]]),
      Lupine.request(
        "ftp://x/{a}", path: ["a": 1], parameters: ["a": name, "b": ["c": name, "d": 1]], headers: fields),
      Lupine.download(Self.url, parameters: ["a": name, "b": ["c": name, "d": 1]]),
      Lupine.download(Self.url, parameters: ["a": name, "b": ["c": name, "d": 1]], headers: fields),
      Lupine.streamRequest(Self.url, parameters: ["a": name, "b": ["c": name, "d": 1]]),
      Lupine.streamRequest(Self.url, parameters: ["a": name, "b": ["c": name, "d": 1]], headers: fields),
    ])
  }

  private struct Flower: Encodable {
    var name: String
  }

  private struct Route: RequestConvertible {
    func asRequest() throws -> OutgoingRequest { try OutgoingRequest(DefaultRequestsTests.url) }
  }
}
