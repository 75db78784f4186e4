import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineResumableUpload
import LupineSession
import Testing

/// The servers that receive the requests of an upload and its secrets.
@Suite struct UploadOriginTests {
  private let server = UploadServer()

  init() {
    // The location is at another origin.
    server.change { state in
      state.override = { request, state in
        guard request.method == .post else { return nil }
        state.uploads["/uploads/1"] = UploadServer.Upload(data: request.body.prefix(3))
        let place = HTTPResponse(
          status: .init(code: 104),
          headerFields: UploadStateTests.fields([
            "Location": "https://elsewhere.example/uploads/1", "Upload-Draft-Interop-Version": "8",
          ]))
        return MockReply.reset.informational([place])
      }
    }
  }

  private func upload(
    secretsFor scope: CredentialScope? = nil
  ) async throws -> MockTransport {
    let mock = server.mock()
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").clock(ImmediateClock()).build()
    let upload =
      session
      .upload(.text("hello"), to: "files", method: .post, headers: [.authorization("Bearer secret")])
      .resumable(.draft(8), secretsFor: scope).resumesAutomatically()
    _ = await upload.serializingString().response
    return mock
  }

  @Test func `a location at another origin is not used`() async throws {
    let mock = try await upload()
    #expect(mock.requests.map(\.url.host) == ["example.com"])
  }

  @Test func `another origin in the scope has the upload and receives the secrets`() async throws {
    let mock = try await upload(secretsFor: .origins(["https://elsewhere.example"]))
    #expect(server.log == ["POST 5", "HEAD", "PATCH@3 2"])
    #expect(mock.requests.map(\.url.host) == ["example.com", "elsewhere.example", "elsewhere.example"])
    #expect(mock.requests.map { $0.headers["Authorization"] } == [String](repeating: "Bearer secret", count: 3))
    let other = try await upload(secretsFor: .origins(["https://third.example"]))
    #expect(other.requests.map(\.url.host) == ["example.com"])
  }

  @Test func `a careful upload at another origin fails and is not deleted there`() async throws {
    let server = UploadServer()
    server.change { state in
      state.override = { _, _ in .status(.created).field("Location", "https://elsewhere.example/uploads/1") }
    }
    let session = try Session.Builder().transport(server.mock()).baseURL("https://example.com").build()
    let error = await session.upload(.text("hello"), to: "files", method: .post).resumable(.draft(8), .careful)
      .serializingString().response.error
    #expect(error?.kind == .resumeFailed)
    #expect(error?.message.contains("elsewhere.example") == true)
    #expect(server.log == ["POST 0"])
  }

  @Test func `the network policy applies to the location`() async throws {
    let mock = server.mock()
    mock.resolves("example.com", to: ["93.184.216.34"])
    mock.resolves("elsewhere.example", to: ["10.0.0.1"])
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").clock(ImmediateClock())
      .networkPolicy(.publicInternetOnly).build()
    let error = await session.upload(.text("hello"), to: "files", method: .post)
      .resumable(secretsFor: .origins(["https://elsewhere.example"])).resumesAutomatically().serializingString()
      .response
      .error
    #expect(error?.kind == .addressRefused)
    #expect(server.log == ["POST 5"])
  }

  @Test func `a location with a private address is refused`() async throws {
    let address = "https://10.0.0.1/uploads/1"
    server.change { state in
      state.override = { request, _ in
        guard request.method == .post else { return nil }
        let place = HTTPResponse(
          status: .init(code: 104),
          headerFields: UploadStateTests.fields(["Location": address, "Upload-Draft-Interop-Version": "8"]))
        return MockReply.reset.informational([place])
      }
    }
    let mock = server.mock()
    mock.resolves("example.com", to: ["93.184.216.34"])
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").clock(ImmediateClock())
      .networkPolicy(.publicInternetOnly).build()
    let error = await session.upload(.text("hello"), to: "files", method: .post)
      .resumable(secretsFor: .origins(["https://10.0.0.1"])).resumesAutomatically().serializingString().response.error
    #expect(error?.kind == .addressRefused)
    #expect(server.log == ["POST 5"])
  }

  @Test(arguments: [HTTPRequest.Method.head, .patch], [307, 308])
  func `a location that redirects to itself ends the upload`(method: HTTPRequest.Method, status: Int) async throws {
    let server = UploadServer()
    server.lose(.after(bytes: 3))
    server.change { state in
      state.override = { request, state in
        guard request.method == method, request.url.path == "/uploads/1" else { return nil }
        return .redirect(to: "/uploads/1", status: .init(code: status))
      }
    }
    let session = try Session.Builder().transport(server.mock()).baseURL("https://example.com")
      .clock(ImmediateClock()).build()
    let error = await session.upload(.text("hello"), to: "files", method: .post).resumable()
      .resumesAutomatically().serializingString().response.error
    #expect(error?.kind == .limitExceeded(.redirects))
    #expect(server.complete == [])
  }

  /// The requests of an upload whose location redirects those of one method.
  private static func redirected(
    _ method: HTTPRequest.Method, _ status: Int, to place: String = "/moved"
  ) async throws -> (server: UploadServer, response: DataResponse<String>) {
    let (server, response, _) = try await redirected(method, status, place, headers: [:])
    return (server, response)
  }

  private static func redirected(
    _ method: HTTPRequest.Method, _ status: Int, _ place: String, headers: RequestHeaders
  ) async throws -> (server: UploadServer, response: DataResponse<String>, requests: [RecordedRequest]) {
    let server = UploadServer()
    server.lose(.after(bytes: 3))
    server.change { state in
      state.override = { request, state in
        if request.method == .get { return .text("page") }
        guard request.method == method, request.url.path == "/uploads/1" else { return nil }
        state.uploads["/moved"] = state.uploads["/uploads/1"]
        return .redirect(to: place, status: .init(code: status))
      }
    }
    let mock = server.mock()
    let session = try Session.Builder().transport(mock).baseURL("https://example.com").clock(ImmediateClock()).build()
    let response = await session.upload(.text("hello"), to: "files", method: .post, headers: headers).resumable()
      .resumesAutomatically().serializingString().response
    return (server, response, mock.requests)
  }

  @Test(arguments: [HTTPRequest.Method.head, .patch], [307, 308])
  func `a redirect of the location to another origin receives no secret`(
    method: HTTPRequest.Method, status: Int
  ) async throws {
    let secrets: [HTTPField.Name] = [.authorization, .cookie]
    let (server, response, requests) = try await Self.redirected(
      method, status, "https://elsewhere.example/moved", headers: ["Authorization": "secret", "Cookie": "secret"])
    #expect(response.error == nil)
    #expect(server.complete == [Data("hello".utf8)])
    let (own, others) = (
      requests.filter { $0.url.host == "example.com" }, requests.filter { $0.url.host != "example.com" }
    )
    #expect(others.map(\.method) == [method])
    for name in secrets {
      #expect(own.allSatisfy { $0.headers[name] == "secret" })
      #expect(others.allSatisfy { $0.headers[name] == nil })
    }
    #expect(others.allSatisfy { request in !request.headers.contains { $0.value.contains("secret") } })
  }

  @Test(arguments: [HTTPRequest.Method.head, .patch], [307, 308])
  func `307 and 308 of the location are followed`(method: HTTPRequest.Method, status: Int) async throws {
    let (server, response) = try await Self.redirected(method, status)
    #expect(try response.result.get() == "received")
    #expect(server.complete == [Data("hello".utf8)])
  }

  @Test(arguments: [HTTPRequest.Method.head, .patch], [301, 302, 303])
  func `other redirects of the location end the upload`(method: HTTPRequest.Method, status: Int) async throws {
    let (server, response) = try await Self.redirected(method, status)
    #expect(response.error?.kind == .resumeFailed)
    #expect(response.error?.message.contains("\(status)") == true)
    #expect(server.complete == [])
    // The upload is given up, and nothing has gone to the other URL.
    let append = method == .patch ? ["PATCH@3 2"] : []
    #expect(server.log == ["POST 5", "HEAD"] + append + ["DELETE"])
  }
}
