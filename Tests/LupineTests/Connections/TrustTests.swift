import Lupine
import Testing
import TransportSupport

@Suite(.overEachTransport, .besidePeers) struct TrustTests {
  @Test func `a certificate of an authority that the session trusts is accepted`() async throws {
    #expect(try await Peer.nginxTLS.session().request("hello").serializingString().value == "Hello from nginx\n")
  }

  @Test func `a certificate of an unknown authority is refused`() async throws {
    let url = try Peer.nginxTLS.url + "/hello"
    let response = await (try session()).request(url).serializingData().response
    #expect(response.error?.kind == .certificateRejected)
    #expect(response.response == nil)
  }

  @Test(.enabled("this libcurl's TLS cannot ask an evaluator") { canEvaluate })
  func `an evaluator sees what the server presents`() async throws {
    struct Refusal: Error, Equatable {
      let host: String
      let certificates: Int
    }
    let session = try Peer.nginxTLS.session {
      $0.trust(["localhost": .custom { throw Refusal(host: $0.host, certificates: $0.presentedChain.count) }])
    }
    let error = await session.request("hello").serializingData().response.error
    #expect(error?.kind == .certificateRejected)
    #expect(error?.underlying as? Refusal == Refusal(host: "localhost", certificates: 1))
  }

  @Test(.disabled("this libcurl's TLS asks evaluators") { canEvaluate })
  func `an evaluator that the transport would not call is refused`() async throws {
    let error = #expect(throws: LupineError.self) {
      try Peer.nginxTLS.session { $0.trust(["localhost": .custom { _ in }]) }
    }
    guard case .configuration(let issues)? = error?.kind else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(issues.map(\.part) == ["trust"])
  }

  @Test func `TLS with a server that speaks none fails`() async throws {
    let url = try Peer.nginx.url.replacing("http://", with: "https://")
    #expect(await (try session()).request(url).serializingData().response.error?.kind == .tlsFailed)
  }

  private func session() throws -> Session { try Session.Builder().transport(.curl).build() }

  private static var canEvaluate: Bool { CurlTransport().capabilities.contains(.trustEvaluation) }
}
