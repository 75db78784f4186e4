import FoundationEssentials
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite struct InjectionTests {
  /// The control characters that no field value may contain.
  ///
  /// The tab is legal inside a field value (RFC 9110 section 5.5).
  static let controls = (Array(0..<0x20) + [0x7F]).filter { $0 != 0x09 }.map { String(UnicodeScalar(UInt8($0))) }
  /// The control characters that no other part of a request may contain.
  static let controlsAndTab = controls + ["\t"]

  @Test(.overEachTransport, arguments: controls)
  func `no control byte goes out in a field of a request`(control: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let session = try networkSession()
    for value in ["a\(control)X-Evil: 1", "\(control)", "a\(control)\(control) b"] {
      _ = await session.request(server.url, headers: RequestHeaders([.custom: value] as HTTPFields)).serializingData()
        .response
    }
    for request in server.requests {
      #expect(request.fields["X-Evil"] == nil)
      #expect(request.fields["X-Custom"]?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ?? true)
    }
    #expect(server.problems.isEmpty)
  }

  @Test(arguments: controls)
  func `a default field with a control byte is refused`(control: String) {
    #expect(throws: LupineError.self) {
      _ = try Session.Builder().transport(MockTransport()).header(.custom, "a\(control)b").build()
    }
  }

  @Test(arguments: controlsAndTab)
  func `a token and a credential's name and password with a control byte are refused`(control: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .challenge("Basic realm=x"))
    let session = try Session.Builder().transport(mock).adapter(BearerToken("a\(control)b", to: .anyOrigin)).build()
    #expect(await session.request("https://a.example.com/").serializingData().response.error?.kind == .adaptationFailed)
    let plain = try Session.Builder().transport(mock).build()
    for (name, password) in [("u", "p\(control)"), ("u\(control)", "p"), ("\(control)", "")] {
      let response = await plain.request("https://a.example.com/").authenticate(username: name, password: password)
        .serializingData().response
      #expect(response.error?.kind == .invalidRequest)
    }
    #expect(mock.requests.allSatisfy { $0.headers[.authorization] == nil })
  }

  @Test(.overEachTransport, arguments: controlsAndTab)
  func `a proxy's name and password with a control byte are refused`(control: String) throws {
    for (name, password) in [("u", "p\(control)"), ("u\(control)", "p")] {
      let escapes = (name + ":" + password).utf8.map { "%" + String($0, radix: 16).leftPadded }.joined()
      for scheme in ["http", "https", "socks5h"] {
        let url = "\(scheme)://\(escapes.replacing("%3a", with: ":"))@127.0.0.1:9"
        #expect(throws: LupineError.self) { _ = try networkSession { $0.proxy(url) } }
        #expect(throws: LupineError.self) {
          let proxy = try Proxy("\(scheme)://127.0.0.1:9").credential(username: name, password: password)
          _ = try networkSession { $0.proxy(proxy) }
        }
      }
    }
  }

  @Test(.overEachTransport) func `a tab inside a field's value arrives as it is`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    _ = try await networkSession { $0.header(.secret, "c\td") }.request(
      server.url, headers: RequestHeaders([.custom: "a\tb"] as HTTPFields)
    )
    .serializingData().value
    #expect(server.requests.first?.fields["X-Custom"] == "a\tb")
    #expect(server.requests.first?.fields["X-Secret"] == "c\td")
  }

  @Test(.overEachTransport, arguments: ["\r\n", "\n", "\r"], [" ", "\t", ""])
  func `a folded value goes out on one line`(end: String, blank: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let value = "a\(end)\(blank)X-Evil: 1"
    _ = await (try networkSession()).request(server.url, headers: RequestHeaders([.custom: value] as HTTPFields))
      .serializingData().response
    #expect(throws: LupineError.self) { _ = try networkSession { $0.header(.custom, value) } }
    let head = String(decoding: try #require(server.requests.first).rawHead, as: UTF8.self)
    let lines = head.split(separator: "\r\n")
    #expect(lines.allSatisfy { !$0.hasPrefix(" ") && !$0.hasPrefix("\t") && !$0.hasPrefix("X-Evil") })
    #expect(lines.contains { $0.hasPrefix("X-Custom: a") && $0.hasSuffix("X-Evil: 1") })
    #expect(server.problems.isEmpty)
  }

  @Test(arguments: controlsAndTab)
  func `a URL with a control byte is refused`(control: String) async throws {
    let mock = MockTransport()
    let session = try Session.Builder().transport(mock).build()
    for url in [
      "https://a.example.com/x\(control)y", "https://a.example\(control).com/", "https://a.example.com/?\(control)",
    ] {
      #expect(await session.request(url).serializingData().response.error?.kind == .invalidURL)
    }
    #expect(mock.requests.isEmpty)
  }

  @Test(.overEachTransport, arguments: controlsAndTab)
  func `a control byte in a parameter is encoded`(control: String) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let session = try networkSession()
    _ = try await session.request(server.url, parameters: ["a\(control)": .string("b\(control) HTTP/1.1")])
      .serializingData().value
    let hex = String(control.utf8.first ?? 0, radix: 16, uppercase: true)
    let escape = "%" + (hex.count == 1 ? "0" : "") + hex
    #expect(server.requests.first?.target.contains("a\(escape)=b\(escape)%20HTTP") == true)
    #expect(server.requests.first?.version == "HTTP/1.1")
  }

  @Test(arguments: [" a", "a ", "\ta", "a\t"])
  func `white space at a value's ends goes no further`(value: String) async throws {
    #expect(throws: LupineError.self) {
      _ = try Session.Builder().transport(MockTransport()).header(.custom, value).build()
    }
  }

  static let noTokens = ["GET\r\n", "G T", "G\tT", "", "GÉT", "GET\u{0}", "GET:", "GET /x HTTP/1.1\r\nX:"]

  @Test(arguments: noTokens)
  func `a method that is no token cannot be made`(text: String) {
    #expect(HTTPRequest.Method(text) == nil)
    #expect(HTTPRequest.Method(rawValue: text) == nil)
  }

  @Test(.overEachTransport, arguments: noTokens)
  func `a method that was made without a check is refused before anything is sent`(text: String) async throws {
    let method = unsafeBitCast(text, to: HTTPRequest.Method.self)
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let mock = MockTransport()
    mock.stub([method, .get], "/{any...}", .text("ok"))
    for transport in [mock, TestTransport.make()] {
      let session = try Session.Builder().transport(transport).build()
      for body in [RequestBody.none, .text("a")] {
        let request = try OutgoingRequest(server.url, method: method, body: body)
        let context = TransferContext(id: RequestID(1)) { _ in .discard(limit: 0) }
        let direct = await #expect(throws: LupineError.self) { _ = try await transport.send(request, in: context) }
        #expect(direct?.kind == .invalidRequest)
        #expect(await session.request(request).serializingData().response.error?.kind == .invalidRequest)
      }
      await transport.shutdown()
    }
    #expect(mock.requests.isEmpty)
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: ["X\r\nY", "X Y", "X\tY", "", "X:", "X\u{0}"])
  func `a field name that is no token cannot be made`(text: String) {
    #expect(HTTPField.Name(text) == nil)
  }
}

extension String {
  fileprivate var leftPadded: String { utf8.count == 1 ? "0" + self : self }
}
