import LupineCore
import LupineNative
import LupineSession
import Testing
import TransportSupport

/// Sessions and requests that need what the native transport lacks.
@Suite struct RemedyTests {
  @Test func `a session that needs more is not built, and the error names libcurl if it helps`() throws {
    let builder = Session.Builder().transport(.native)
    let proxy = try Proxy("http://127.0.0.1:3128").connectionCredential(.negotiate)
    try expectRemedy("proxy", isKnown: true) { _ = try builder.proxy(proxy).build() }
    // libcurl 7.88 has no HTTP/3 either.
    try expectRemedy("httpVersion", isKnown: false) { _ = try builder.httpVersion(.http3).build() }
  }

  private func expectRemedy(_ part: String, isKnown: Bool, _ build: () throws -> Void) throws {
    let error = #expect(throws: LupineError.self, performing: build)
    guard case .configuration(let issues) = error?.kind else {
      Issue.record("\(part): the error is \(error.map { "\($0)" } ?? "none")")
      return
    }
    #expect(issues.map(\.part) == [part])
    #expect(issues.allSatisfy { $0.reason.contains("'.transport(.curl)' of LupineCurl") == isKnown }, "\(issues)")
  }

  @Test func `a request for HTTP 3 is refused without a session`() async throws {
    let client = Client.native()
    var request = try OutgoingRequest(url: HTTPURL("http://127.0.0.1:1/"))
    request.options.version = .http3
    let sent = request
    let error = await #expect(throws: LupineError.self) {
      _ = try await client.transport.send(sent, in: client.context())
    }
    #expect(error?.kind == .invalidRequest)
    await client.transport.shutdown()
  }
}
