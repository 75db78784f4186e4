import Foundation
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

/// Each secret contains the word `hiddenKq7vXo2mZt`, and no description, message or event may contain that word.
@Suite struct SecretTests {
  private static let url =
    "https://a.example.com/x?access_token=hiddenKq7vXo2mZt1&q=hiddenKq7vXo2mZt2#hiddenKq7vXo2mZt3"

  static let replies: [String: MockReply] = [
    "refused": .fault(.connectionRefused), "reset": .reset, "stall": .stall, "cut": .text("x").reset(afterBytes: 0),
    "status": .text("x", status: .internalServerError), "challenge": .challenge("Digest nonce=\"n\""),
    "redirect": .redirect(to: "https://u:hiddenKq7vXo2mZt4@b.example.com/?token=hiddenKq7vXo2mZt5"),
    "downgrade": .redirect(to: "http://u:hiddenKq7vXo2mZt4@b.example.com/?token=hiddenKq7vXo2mZt5"),
    "location": .redirect(to: "ftp://u:hiddenKq7vXo2mZt4@b/?hiddenKq7vXo2mZt5"),
    "loop": .redirect(to: "/x?access_token=hiddenKq7vXo2mZt1&q=hiddenKq7vXo2mZt2"),
    "type": .text("x", contentType: "text/\u{1B}[2J"), "json": .text("{", contentType: "application/json"),
    "certificate": .fault(.tlsRefused), "good": .text("[1]", contentType: "application/json"),
  ]

  private static func session(_ reply: MockReply, _ journal: Journal) throws -> Session {
    let mock = MockTransport()
    let reply = reply.field(.setCookie, "a=hiddenKq7vXo2mZt6").field(.secret, "hiddenKq7vXo2mZt7")
      .informational([
        HTTPResponse(
          status: .init(code: 103), headerFields: [.setCookie: "hiddenKq7vXo2mZt8", .secret: "hiddenKq7vXo2mZt9"])
      ])
    mock.stub(.get, "/{any...}", reply)
    return try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://a.example.com")
      .secretField(.secret).header(.secret, "hiddenKq7vXo2mZt10").header(.apiKey, "hiddenKq7vXo2mZt11").adapter(
        BearerToken("hiddenKq7vXo2mZt12")
      )
      .retrier(.backoff(limit: 1)).monitor(journal).build()
  }

  @Test(arguments: replies.keys.sorted())
  func `nothing that people read holds a secret or a control byte`(name: String) async throws {
    let journal = Journal()
    let session = try Self.session(try #require(Self.replies[name]), journal)
    let request = session.request(Self.url, headers: [.cookie: "hiddenKq7vXo2mZt13", .accept: "application/json"])
      .authenticate(username: "u", password: "hiddenKq7vXo2mZt14")
    let response = await request.validate().serializingJSON().response
    var texts = [journal.text, request.description, request.debugDescription, "\(response)"]
    texts += [String(reflecting: response), String(reflecting: request), await request.cURLDescription(), "\(session)"]
    texts += [dumped(response), dumped(request), dumped(session)]
    if let error = response.error {
      texts += ["\(error)", String(reflecting: error), error.message, error.localizedDescription, "\(error.kind)"]
      texts += ["\(error.response.map { "\($0.headerFields)" } ?? "")", "\(error.request as Any)"]
    }
    if let outgoing = response.request { texts += ["\(outgoing)", String(reflecting: outgoing)] }
    for text in texts {
      let lines = text.split(separator: "\n")
      // The curl command contains the query of the URL, in which values with the name of a secret are redacted.
      let leaks = lines.filter { line in
        line.replacing("q=hiddenKq7vXo2mZt2", with: "").contains("hiddenKq7vXo2mZt")
      }
      #expect(leaks.isEmpty)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F })
    }
  }

  @Test func `the values of a stream's handler have descriptions without secrets`() async throws {
    let journal = Journal()
    let session = try Self.session(.text("line\n"), journal)
    let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    session.streamRequest(Self.url, headers: [.cookie: "hiddenKq7vXo2mZt13"]).responseStreamLine { stream in
      continuation.yield("\(stream)\(stream.event)")
      guard let completion = stream.completion else { return }
      continuation.yield("\(completion)")
      continuation.finish()
    }
    var count = 0
    for await text in texts {
      count += 1
      #expect(!text.contains("hiddenKq7vXo2mZt"))
    }
    #expect(count == 3)
    #expect(!journal.text.replacing("q=hiddenKq7vXo2mZt2", with: "").contains("hiddenKq7vXo2mZt"))
  }

  @Test(arguments: ["https://u:hiddenKq7vXo2mZt@a.example.com/", "https://a.example.com:hiddenKq7vXo2mZt/"])
  func `the error of a URL quotes nothing secret of it`(url: String) async throws {
    let session = try Session.Builder().transport(MockTransport()).build()
    let error = await session.request(url).serializingData().response.error
    #expect(error?.kind == .invalidURL)
    #expect(error.map { "\($0)".contains("hiddenKq7vXo2mZt") } == false)
  }

  @Test(.overEachTransport) func `an error of a transport holds no query`() async throws {
    let port = try ClosedPort()
    let error = await (try networkSession()).request(
      port.url + "/x?token=hiddenKq7vXo2mZt", headers: [.authorization: "hiddenKq7vXo2mZt"]
    )
    .serializingData().response.error
    #expect(error?.kind == .connectionRefused)
    #expect(error.map { "\($0)".contains("hiddenKq7vXo2mZt") } == false)
  }
}

private func dumped(_ value: some Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}
