import FoundationEssentials
import Lupine
import LupineTesting
import Testing
import TransportSupport

/// Names, file names and boundaries of forms, as a server receives them.
///
/// `LupineMultipartTests` tests the parts of a form with parsers of other projects.
@Suite(.overEachTransport) struct MultipartTests {
  private static let names = [
    "a\"; filename=\"evil", "a\r\nX-Evil: 1", "a\r\n\r\nbody", "a\\", "a\\\"b", "ü日🦄", "--b", "%22%0D%0A",
  ]

  @Test(arguments: names)
  func `a name or a file name adds no field and no part on the wire`(name: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let upload = try networkSession().upload(
      multipart: { form in
        form.append("field", name: name)
        form.append("file", name: "file", fileName: name, contentType: "text/x-safe")
      }, to: server.url)
    _ = try await upload.serializingString().value
    let request = try #require(server.requests.first)
    let parts = try ReceivedPart.parts(of: Data(request.body), contentType: request.fields["Content-Type"])
    #expect(parts.map(\.text) == ["field", "file"])
    #expect(parts.map(\.headers.count) == [1, 2])
    #expect(!request.bodyText.contains("\r\nX-Evil"))
  }

  @Test(arguments: ["a\0b", "a\u{1}", "\u{7F}"])
  func `a name that cannot be escaped is refused before a connection is made`(name: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    for isName in [true, false] {
      let upload = try networkSession().upload(
        multipart: { $0.append("x", name: isName ? name : "x", fileName: isName ? nil : name) }, to: server.url)
      #expect(await upload.serializingString().response.error?.kind == .invalidRequest)
    }
    let typed = try networkSession().upload(
      multipart: { $0.append("x", name: "x", contentType: "text/plain\r\nX-Evil: 1") }, to: server.url)
    #expect(await typed.serializingString().response.error?.kind == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test func `two bodies have different boundaries of at least 128 bits`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let session = try networkSession()
    for _ in 0..<20 {
      _ = try await session.upload(multipart: { $0.append("x", name: "x") }, to: server.url).serializingString().value
    }
    let types = server.requests.compactMap { $0.fields["Content-Type"] }
    #expect(Set(types).count == 20)
    // A boundary has 192 bits in 33 digits of six bits, after a fixed word.
    #expect(types.allSatisfy { $0.split(separator: "LupineBoundary-").last?.count == 33 })
  }

  @Test func `a body that contains an earlier boundary comes through`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let session = try networkSession()
    _ = try await session.upload(multipart: { $0.append("x", name: "x") }, to: server.url).serializingString().value
    let first = try #require(server.requests.first)
    let text = first.bodyText + first.bodyText
    _ = try await session.upload(multipart: { $0.append(text, name: "y") }, to: server.url).serializingString().value
    let second = try #require(server.requests.last)
    let parts = try ReceivedPart.parts(of: Data(second.body), contentType: second.fields["Content-Type"])
    #expect(parts.map(\.text) == [text])
  }
}
