import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

/// Sessions on a transport without TLS, or without the reuse of connections.
@Suite struct ClearTextTests {
  private func refused(
    by capabilities: TransportCapabilities, _ change: (Session.Builder) -> Session.Builder
  ) -> [String] {
    let transport = ClosureTransport(capabilities: capabilities) { _, context in context.answer() }
    do throws(LupineError) {
      _ = try change(Session.Builder().transport(transport)).build()
      return []
    } catch {
      guard case .configuration(let issues) = error.kind else { return ["\(error.kind)"] }
      return issues.map { "\($0.part): \($0.reason.split(separator: "(").last ?? "")" }
    }
  }

  static let needingTLS: [(part: String, lacks: String, change: @Sendable (Session.Builder) -> Session.Builder)] = [
    ("baseURL", "tls", { $0.baseURL("https://example.com") }),
    ("trust", "trustEvaluation, tls", { $0.trust(["example.com": .custom { _ in }]) }),
    ("trust", "trustEvaluation, tls", { $0.trust([:], otherwise: .refuse) }),
    ("clientCertificate", "clientCertificates, tls", { $0.clientCertificate(.pkcs12("a.p12", passphrase: "")) }),
    ("tlsVersions", "tlsVersions, tls", { $0.tlsVersions(minimum: .tls1_3) }),
    ("certificateAuthorities", "tls", { $0.certificateAuthorities("/a.pem") }),
    ("additionalCertificateAuthorities", "tls", { $0.additionalCertificateAuthorities("/a.pem") }),
    ("proxy", "proxies, tls", { $0.proxy("https://proxy.example.com") }),
    ("requiring", "tls", { $0.requiring(.tls) }),
  ]

  @Test(arguments: needingTLS.indices)
  func `a session that needs TLS is refused on a transport without it`(index: Int) {
    let (part, lacks, change) = Self.needingTLS[index]
    let capabilities = TransportCapabilities(lacks.split(separator: ", "))
    let expected = "\(part): it lacks \(capabilities))"
    let issues: [String] = refused(by: .networking, change)
    #expect(issues == [expected])
    let none: [String] = refused(by: capabilities.union(.networking), change)
    #expect(none.isEmpty)
  }

  @Test func `lifetimes of connections need a transport that keeps them`() {
    var (idle, whole) = (ConnectionOptions(), ConnectionOptions())
    idle.idleLifetime = .seconds(9)
    whole.lifetime = .seconds(9)
    for given in [idle, whole] {
      let once: TransportCapabilities = [.networking, .connectionOptions]
      let issues = refused(by: once) { $0.connections(given) }
      #expect(issues == ["connections: it lacks connectionReuse)"])
      let none = refused(by: once.union(.connectionReuse)) { $0.connections(given) }
      let virtual = refused(by: .connectionOptions) { $0.connections(given) }
      #expect(none.isEmpty && virtual.isEmpty)
    }
    let issues = refused(by: .networking) { $0.requiring(.connectionReuse) }
    #expect(issues == ["requiring: it lacks connectionReuse)"])
  }

  @Test func `a transport without a network needs neither`() {
    let issues = refused(by: []) { $0.baseURL("https://example.com").requiring([.tls, .connectionReuse]) }
    #expect(issues == [])
  }

  @Test func `an https URL is refused before it reaches a transport without TLS, and not retried`() async throws {
    let sent = Notes<HTTPURL>()
    let transport = ClosureTransport(capabilities: .networking) { request, context in
      sent.add(request.url)
      return context.answer(200, [:], "ok")
    }
    let session = try Session.Builder().transport(transport).clock(ImmediateClock()).retrier(.backoff(limit: 3)).build()
    let error = await session.request("https://example.com/a").serializingData().response.error
    guard case .configuration(let issues) = error?.kind else { return #expect(Bool(false), "\(error as Any)") }
    #expect(issues.map(\.part) == ["transport"])
    #expect(error?.message.contains("it lacks tls") == true)
    #expect(error?.message.contains("example.com") == true)
    #expect(sent.all.isEmpty)
    #expect(await session.request("http://example.com/a").serializingData().response.error == nil)
    #expect(sent.all.count == 1)
  }

  @Test func `a redirect to https is refused as well`() async throws {
    let sent = Notes<String>()
    let transport = ClosureTransport(capabilities: .networking) { request, context in
      sent.add("\(request.url)")
      return context.answer(302, [.location: "https://example.com/secure"])
    }
    let session = try Session.Builder().transport(transport).clock(ImmediateClock()).build()
    let error = await session.request("http://example.com/a").serializingData().response.error
    guard case .configuration = error?.kind else { return #expect(Bool(false), "\(error as Any)") }
    #expect(sent.all == ["http://example.com/a"])
  }
}

extension TransportCapabilities {
  /// The capabilities with these names.
  fileprivate init(_ names: [Substring]) {
    let all = (0..<64).map { TransportCapabilities(rawValue: 1 << $0) }
    self = all.filter { capability in names.contains { $0 == capability.description } }.reduce([]) { $0.union($1) }
  }
}
