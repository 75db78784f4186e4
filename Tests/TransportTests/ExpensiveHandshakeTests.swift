import FoundationEssentials
import LupineCore
import LupineCurl
import LupineOpenSSL
import LupineSession
import Testing
import TransportSupport
import TrustSupport

/// Servers and proxies whose keys or certificates would make a handshake compute for a long time.
@Suite(.overEachTransport, .serialized, .timeLimit(.minutes(2))) struct ExpensiveHandshakeTests {
  private static func transport(_ algorithms: TLSAlgorithms = TLSAlgorithms()) -> any Transport {
    var configuration = CurlTransport.Configuration()
    configuration.network.certificateAuthorities = Pki.root
    configuration.network.tlsAlgorithms = algorithms
    return TestTransport.make(configuration)
  }

  /// The error of a request to a server; `nil` if it succeeds.
  private func error(_ server: TLSServer, offering algorithms: TLSAlgorithms = TLSAlgorithms()) async -> LupineError? {
    let client = Client(Self.transport(algorithms))
    let error = await client.failure(server.url())
    await client.transport.shutdown()
    return withExtendedLifetime(server) { error }
  }

  /// A cipher suite with a finite field that the server chooses: its registered name, and its name in OpenSSL.
  private static let suites = ["TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", "DHE-RSA-AES128-GCM-SHA256"]

  /// A server with finite-field Diffie-Hellman alone, over a field of this size; `nil` means OpenSSL's choice.
  private func fieldServer(bits: Int?) throws -> TLSServer {
    let options = ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"]
    if let bits {
      return try Self.withFile(Self.parameters(bits: bits)) { file in
        try TLSServer("rsa", chain: "intermediate", options: options + ["-dhparam", file])
      }
    }
    return try TLSServer("rsa", chain: "intermediate", options: options)
  }

  /// Calls `body` with the path of a temporary file, which a server reads when it starts.
  private static func withFile(_ text: String, _ body: (String) throws -> TLSServer) throws -> TLSServer {
    let file = FileManager.default.temporaryDirectory.appending(path: "handshake-\(UInt64.random(in: 0 ... .max))")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path)
  }

  /// The parameters of Diffie-Hellman in PEM; the modulus need not be a prime.
  private static func parameters(bits: Int) -> String {
    let first = UInt8(truncatingIfNeeded: (1 << ((bits - 1) % 8 + 1)) - 1)
    let modulus = [first] + [UInt8](repeating: 0xFF, count: (bits - 1) / 8)
    let integers = element(2, (first > 0x7F ? [0] : []) + modulus) + element(2, [2])
    let text = Data(element(0x30, integers))
      .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN DH PARAMETERS-----\n\(text)\n-----END DH PARAMETERS-----\n"
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length = count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
  }

  @Test func `a server with finite-field Diffie-Hellman alone gets no handshake by default`() async throws {
    let failure = try #require(await error(try fieldServer(bits: 9_999)))
    #expect(failure.kind == .tlsFailed)
    #expect(failure.message.contains("handshake failure"))
  }

  @Test(arguments: suites) func `a configuration can offer finite-field Diffie-Hellman`(name: String) async throws {
    let client = Client(Self.transport(TLSAlgorithms(cipherSuites: [name])))
    let server = try fieldServer(bits: nil)
    let fetched = try await client.fetch(server.url())
    #expect(fetched.end.metrics.tls?.cipher == "DHE-RSA-AES128-GCM-SHA256")
    await client.transport.shutdown()
    withExtendedLifetime(server) {}
  }

  @Test func `a field that is too large is refused although the configuration offers finite fields`() async throws {
    let algorithms = TLSAlgorithms(cipherSuites: Self.suites)
    let failure = try #require(await error(try fieldServer(bits: 5_120), offering: algorithms))
    #expect(failure.kind == .tlsFailed)
    #expect(failure.message.contains("a finite field of 5120 bits"), "\(failure)")
  }

  @Test func `a finite field of TLS 1 3 must be named`() async throws {
    let server = try TLSServer("valid", chain: "intermediate", options: ["-groups", "ffdhe2048"])
    #expect(await error(server)?.kind == .tlsFailed)
    #expect(await error(server, offering: TLSAlgorithms(groups: ["X25519", "ffdhe2048"])) == nil)
  }

  @Test func `a list of cipher suites of one version leaves those of the other version unchanged`() async throws {
    let newer = try TLSServer("rsa", chain: "intermediate", options: ["-tls1_3"])
    #expect(await error(newer, offering: TLSAlgorithms(cipherSuites: Self.suites)) == nil)
    let client = Client(Self.transport(TLSAlgorithms(cipherSuites: ["TLS_CHACHA20_POLY1305_SHA256"])))
    #expect(try await client.fetch(newer.url()).end.metrics.tls?.cipher == "TLS_CHACHA20_POLY1305_SHA256")
    let older = try TLSServer("rsa", chain: "intermediate", options: ["-tls1_2"])
    #expect(try await client.fetch(older.url()).end.metrics.tls?.cipher.hasPrefix("ECDHE-RSA-") == true)
    await client.transport.shutdown()
    withExtendedLifetime((newer, older)) {}
  }

  /// No evaluator, and one that trusts every server.
  private static let evaluators: [(any TrustEvaluator)?] = [nil, .some(.disabled)]

  @Test func `an RSA key of 8,192 bits is accepted`() async throws {
    #expect(await error(try TLSServer("rsa-8192", chain: "intermediate")) == nil)
  }

  @Test(arguments: evaluators)
  func `a larger RSA key is refused, with each evaluator`(evaluator: (any TrustEvaluator)?) async throws {
    let server = try TLSServer("rsa-16384", chain: "intermediate")
    let failure = try #require(try await Online().error(server, evaluator))
    #expect(failure.kind == .certificateRejected)
    #expect(failure.message.contains("an RSA key has 16384 bits"), "\(failure)")
  }

  @Test func `the limit of RSA keys also holds for a certificate that the chain does not need`() async throws {
    let failure = try #require(await error(try TLSServer("valid", chain: "rsa-16384.chain")))
    #expect(failure.kind == .certificateRejected)
    #expect(failure.message.contains("an RSA key has 16384 bits"), "\(failure)")
  }

  /// A server that sends the intermediate certificate many times.
  private func longServer(_ count: Int) throws -> TLSServer {
    let intermediate = try String(contentsOfFile: Pki.path("intermediate.pem"), encoding: .utf8)
    return try Self.withFile(String(repeating: intermediate, count: count)) { try TLSServer("valid", chain: $0) }
  }

  @Test func `a chain of more than 32 certificates is refused`() async throws {
    #expect(await error(try longServer(31)) == nil)
    let failure = try #require(await error(try longServer(40)))
    #expect(failure.kind == .certificateRejected)
    #expect(failure.message.contains("there are 41 of them"), "\(failure)")
  }

  @Test func `certificates of more than 64 KiB are refused before they are read`() async throws {
    #expect(await error(try longServer(300))?.kind == .tlsFailed)
  }

  @Test func `a certificate with thousands of names is accepted`() async throws {
    #expect(await error(try TLSServer("thousands-of-names", chain: "intermediate")) == nil)
  }

  @Test func `the limits hold for a proxy with TLS`() async throws {
    for (name, chain) in [("rsa-16384", "intermediate"), ("valid", "rsa-16384.chain")] {
      let server = try TLSServer(name, chain: chain)
      var client = Client(Self.transport())
      client.connectionKey.proxy = try Proxy("https://localhost:\(server.port)")
      let failure = try #require(await client.failure("https://a.example/"))
      #expect(failure.kind == .certificateRejected)
      #expect(failure.message.contains("proxy") && failure.message.contains("16384 bits"), "\(failure)")
      await client.transport.shutdown()
      withExtendedLifetime(server) {}
    }
    let server = try fieldServer(bits: 9_999)
    var client = Client(Self.transport())
    client.connectionKey.proxy = try Proxy("https://localhost:\(server.port)")
    #expect(await client.failure("https://a.example/")?.kind == .tlsFailed)
    await client.transport.shutdown()
    withExtendedLifetime(server) {}
  }

  @Test(arguments: [
    (TLSAlgorithms(cipherSuites: ["ROT13"]), "no cipher suite with the name 'ROT13'"),
    (TLSAlgorithms(cipherSuites: ["HIGH"]), "no cipher suite with the name 'HIGH'"),
    (TLSAlgorithms(cipherSuites: ["TLS_ROT_13"]), "no cipher suite with the name 'TLS_ROT_13'"),
    (TLSAlgorithms(cipherSuites: ["ECDHE-RSA-AES128-GCM-SHA256:ALL"]), "no cipher suite with the name"),
    (TLSAlgorithms(cipherSuites: []), "the list of cipher suites is empty"),
    (TLSAlgorithms(groups: ["P-257"]), "no group with the name 'P-257'"),
    (TLSAlgorithms(groups: ["X25519:P-256"]), "no group with the name 'X25519:P-256'"),
    (TLSAlgorithms(groups: []), "the list of groups is empty"),
  ])
  func `a name that cannot be offered is an error of build`(algorithms: TLSAlgorithms, text: String) async throws {
    let transport = Self.transport(algorithms)
    let error = #expect(throws: LupineError.self) { try Session.Builder().transport(transport).build() }
    #expect(error?.message.contains(text) == true, "\(error as Any)")
    let failure = await Client(transport).failure("https://localhost:1/")
    if case .configuration? = failure?.kind {} else { Issue.record("\(failure as Any)") }
    await transport.shutdown()
  }
}
