import FoundationEssentials
import Lupine
import LupineMock
import LupineTesting
import Testing

@Suite struct InjectionTests {
  static let controls = (Array(0..<0x20) + [0x7F]).filter { $0 != 0x09 }.map { String(UnicodeScalar(UInt8($0))) }

  @Test(arguments: controls)
  func `S14 no control byte goes out in a field of a request`(control: String) async throws {
    let server = try ScriptedServer(always: .respond())
    defer { server.stop() }
    let session = try curlSession()
    for value in ["a\(control)X-Evil: 1", "\(control)", "a\(control)\(control) b"] {
      _ = await session.request(server.url, headers: [.custom: value]).serializingData().response
    }
    for request in server.requests {
      #expect(request.fields["X-Evil"] == nil)
      #expect(request.fields["X-Custom"]?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ?? true)
    }
    #expect(server.problems.isEmpty)
  }

  @Test(arguments: controls)
  func `S14 a default field, a token and a credential with a control byte are refused`(control: String) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .challenge("Basic realm=x"))
    #expect(throws: LupineError.self) {
      _ = try Session.Builder().transport(mock).header(.custom, "a\(control)b").build()
    }
    let session = try Session.Builder().transport(mock).adapter(BearerToken("a\(control)b", to: .anyOrigin)).build()
    #expect(await session.request("https://a.example.com/").serializingData().response.error?.kind == .adaptationFailed)
    let plain = try Session.Builder().transport(mock).build()
    let response = await plain.request("https://a.example.com/").authenticate(username: "u", password: "p\(control)")
      .serializingData().response
    #expect(response.error?.kind == .invalidRequest)
  }

  @Test(arguments: controls)
  func `S14 a URL with a control byte is refused`(control: String) async throws {
    let mock = MockTransport()
    let session = try Session.Builder().transport(mock).build()
    for url in [
      "https://a.example.com/x\(control)y", "https://a.example\(control).com/", "https://a.example.com/?\(control)",
    ] {
      #expect(await session.request(url).serializingData().response.error?.kind == .invalidURL)
    }
    #expect(mock.requests.isEmpty)
  }

  @Test(arguments: controls)
  func `S14 a control byte in a parameter is encoded`(control: String) async throws {
    let server = try ScriptedServer(always: .respond())
    defer { server.stop() }
    let session = try curlSession()
    _ = try await session.request(server.url, parameters: ["a\(control)": .string("b\(control) HTTP/1.1")])
      .serializingData().value
    let hex = String(control.utf8.first ?? 0, radix: 16, uppercase: true)
    let escape = "%" + (hex.count == 1 ? "0" : "") + hex
    #expect(server.requests.first?.target.contains("a\(escape)=b\(escape)%20HTTP") == true)
    #expect(server.requests.first?.version == "HTTP/1.1")
  }

  @Test(arguments: [" a", "a ", "\ta", "a\t"])
  func `S14 white space at a value's ends goes no further`(value: String) async throws {
    #expect(throws: LupineError.self) {
      _ = try Session.Builder().transport(MockTransport()).header(.custom, value).build()
    }
  }

  @Test(arguments: ["GET\r\n", "G T", "", "GÉT", "GET\u{0}"])
  func `S14 a method that is no token cannot be made`(text: String) {
    #expect(HTTPRequest.Method(text) == nil)
  }

  @Test(arguments: ["X\r\nY", "X Y", "", "X:", "X\u{0}"])
  func `S14 a field name that is no token cannot be made`(text: String) {
    #expect(HTTPField.Name(text) == nil)
  }
}
