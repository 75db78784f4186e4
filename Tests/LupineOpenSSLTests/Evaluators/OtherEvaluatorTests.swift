import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import LupineOpenSSL
import Testing
import TrustSupport

@Suite struct OtherEvaluatorTests {
  private struct Refusal: Error {}

  @Test func `a composite trusts what all trust`() async throws {
    let pins: any TrustEvaluator = .publicKeys([try Pki.pin("valid")])
    #expect(try await Offline("valid").check(.all([.default, pins])) == nil)
    #expect(try await Offline("backup").check(.all([.default, pins])) == .pin)
    #expect(try await Offline("valid").error(.all([pins, .custom { _ in throw Refusal() }]))?.underlying is Refusal)
  }

  @Test func `a disabled evaluator trusts everybody, and warns each time`() async throws {
    let offline = try Offline("expired", host: "example.com")
    #expect(try await offline.check(.disabled) == nil)
    #expect(try await offline.check(.disabled) == nil)
    #expect(offline.monitor.all.count { $0.contains("example.com") } == 2)
  }

  @Test func `an audit reports what it would refuse, and trusts what the default trusts`() async throws {
    let offline = try Offline("valid")
    #expect(try await offline.check(.audit(.publicKeys([try Pki.pin("backup")]))) == nil)
    #expect(offline.monitor.all.contains { $0.contains("would be refused") && $0.contains("pinned key") })
    #expect(try await Offline("expired").check(.audit(.publicKeys([try Pki.pin("backup")]))) == .chain)
  }

  @Test func `an audit is silent about what it would accept`() async throws {
    let offline = try Offline("valid")
    #expect(try await offline.check(.audit(.publicKeys([try Pki.pin("valid")]))) == nil)
    #expect(offline.monitor.all.isEmpty)
  }

  @Test func `a certificate that will soon expire is trusted with a warning`() async throws {
    var offline = try Offline("valid")
    offline.now = try Pki.certificate("valid").notAfter.addingTimeInterval(-86_400 * 3)
    #expect(try await offline.check(.publicKeys([try Pki.pin("valid")])) == nil)
    #expect(offline.monitor.all.contains { $0.contains("expires in 3 days") })
  }

  @Test func `a closure is not asked about a chain that did not verify`() async throws {
    var offline = try Offline("valid")
    offline.failure = "no good"
    let error = try await offline.error(.custom { _ in })
    #expect(error?.kind == .certificateRejected)
    #expect(error?.message.contains("no good") == true)
    offline.failure = nil
    #expect(try await offline.error(.custom { _ in }) == nil)
  }

  @Test func `the hosts without a pattern are left to the default that is given`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .empty)
    for host in ["one.test", "two.test"] { mock.presents(chain: try Pki.chain("multiple"), for: host) }
    let session = try Session.Builder().transport(mock).now { Pki.day }.certificateAuthorities(Pki.root)
      .trust(["one.test": .default], otherwise: .refuse).build()
    #expect(await session.request("https://one.test/").serializingData().response.error == nil)
    let refused = await session.request("https://two.test/").serializingData().response.error
    #expect(refused?.underlying as? RefusingTrustEvaluator.Refusal != nil)
  }

  @Test(arguments: [
    ("https://a.example.com:8443/", "exact with a port"), ("https://a.example.com/", "exact"),
    ("https://b.example.com:8443/", "wildcard with a port"), ("https://b.example.com/", "wildcard"),
    ("https://127.0.0.1/", "IPv4"), ("https://[::1]/", "IPv6"), ("https://[::1]:8443/", "IPv6 with a port"),
    ("https://c.b.example.com/", "otherwise"), ("https://A.EXAMPLE.COM./", "exact"),
  ])
  func `the most specific pattern counts`(_ url: String, _ name: String) async throws {
    struct Asked: Error, Equatable { let name: String }
    func asks(_ name: String) -> any TrustEvaluator { .custom { _ in throw Asked(name: name) } }
    let mock = MockTransport()
    for host in [
      "a.example.com", "a.example.com.", "b.example.com", "c.b.example.com", "127.0.0.1", "::1",
    ] { mock.presents(chain: [Data([1])], for: host) }
    let session = try Session.Builder().transport(mock).trust(
      [
        "a.example.com": asks("exact"), "a.example.com:8443": asks("exact with a port"),
        "*.example.com": asks("wildcard"), "*.example.com:8443": asks("wildcard with a port"),
        "127.0.0.1": asks("IPv4"), "::1": asks("IPv6"), "[::1]:8443": asks("IPv6 with a port"),
      ], otherwise: asks("otherwise")
    ).build()
    let error = await session.request(url).serializingData().response.error
    #expect(error?.underlying as? Asked == Asked(name: name))
  }
}
