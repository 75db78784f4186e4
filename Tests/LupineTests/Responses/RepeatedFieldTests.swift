import FoundationEssentials
import HTTPTypes
import Lupine
import LupineTesting
import Testing
import TransportSupport

/// Responses in which a field arrives twice that a message has once (RFC 9110 section 5.5).
@Suite(.overEachTransport) struct RepeatedFieldTests {
  private let session: Session

  init() throws { session = try Session.Builder().transport(.curl).build() }

  private static func redirect(_ locations: [[UInt8]]) -> ScriptedReply {
    var head = Array("HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n".utf8)
    for location in locations { head += Array("Location: ".utf8) + location + [0x0D, 0x0A] }
    return [.raw(head + [0x0D, 0x0A]), .close]
  }

  private static let page: ScriptedReply = [
    .raw(text: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"), .close,
  ]

  private func targets(_ locations: [[UInt8]]) async throws -> (targets: [String], error: LupineError?) {
    let server = try ScriptedServer { $0.number == 0 ? Self.redirect(locations) : Self.page }
    defer { server.stop() }
    let response = await session.request(server.url + "/start").serializingString().response
    return (server.requests.map(\.target), response.error)
  }

  @Test func `two equal locations are one`() async throws {
    let (targets, error) = try await targets([Array("/next".utf8), Array("/next".utf8)])
    #expect(targets == ["/start", "/next"])
    #expect(error == nil)
  }

  @Test func `two different locations are an error that says so`() async throws {
    let (targets, error) = try await targets([Array("/a".utf8), Array("/b".utf8)])
    #expect(targets == ["/start"])
    #expect(error?.kind == .redirectFailed)
    #expect(error?.message.contains("2 Location fields that differ") == true)
    #expect(error?.response?.status == .found)
  }

  @Test(
    arguments: [
      ([0x2F, 0x63, 0x61, 0x66, 0xE9], "/caf%E9"), ([0x2F, 0xC3, 0xA9], "/%C3%A9"),
      ([0x2F, 0xC3, 0xA9, 0xE9], "/%C3%A9%E9"), ([0x3F, 0x71, 0x3D, 0xFF], "/start?q=%FF"), ([0x2F, 0x80], "/%80"),
    ] as [([UInt8], String)])
  func `bytes above 0x7F in a location are percent-encoded as they came`(location: [UInt8], target: String)
    async throws
  {
    let (targets, error) = try await targets([location])
    #expect(targets == ["/start", target])
    #expect(error == nil)
  }

  @Test func `a content type that arrives twice is one`() async throws {
    let server = try ScriptedServer(always: [
      .raw(
        text: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; charset=iso-8859-2\r\n"
          + "Content-Type: text/plain; charset=iso-8859-2\r\nContent-Length: 1\r\n\r\n"),
      .raw([0xB1]), .close,
    ])
    defer { server.stop() }
    let text = try await session.request(server.url).validate(contentType: ["text/plain"]).serializingString().value
    #expect(text == "ą")
  }

  @Test func `two different content types are an error of the validation that shows both`() async throws {
    let server = try ScriptedServer(always: [
      .raw(
        text: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\n"
          + "Content-Length: 2\r\n\r\nok"), .close,
    ])
    defer { server.stop() }
    let error = await session.request(server.url).validate(contentType: ["text/plain"]).serializingString().response
      .error
    #expect(error?.kind == .unacceptableContentType("text/plain, text/html"))
  }
}
