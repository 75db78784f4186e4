import LupineCore
import LupineSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct HostResolverTests {
  private struct Refused: Error {}

  private static func addresses(_ count: Int) -> [IPAddress] {
    (0..<count).compactMap { IPAddress(bytes: [10, 0, UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `each address is returned once`(address: String) throws {
    #expect(HostResolver.systemAnswer(for: address) == .addresses([try #require(IPAddress(address))]))
  }

  @Test func `the error has the resolver's own text`() {
    guard case .failure(let reason) = HostResolver.systemAnswer(for: "nowhere.invalid") else {
      Issue.record("it has an address")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func `of many addresses the first hundred are used, each once`() async throws {
    let all = Self.addresses(10_000)
    let resolver = HostResolver { _ in all.flatMap { [$0, $0] } }
    #expect(try await resolver.addresses(of: "a.test") == Array(all.prefix(100)))
    let blocking = HostResolver.blocking { _ in .addresses(all) }
    #expect(try await blocking.addresses(of: "a.test") == Array(all.prefix(100)))
  }

  @Test func `an error and an empty answer are a host that is not found`() async {
    let resolvers = [
      HostResolver { _ in throw Refused() }, HostResolver { _ in [] }, .blocking { _ in .addresses([]) },
      .blocking { _ in .failure("no such name") },
    ]
    for resolver in resolvers {
      let error = await #expect(throws: LupineError.self) { try await resolver.addresses(of: "a.test") }
      #expect(error?.kind == .hostNotFound)
    }
  }

  @Test func `a resolver that does not notice the cancellation does not hold the caller up`() async throws {
    let (isAsked, mayAnswer) = (Signal(), Signal())
    let resolver = HostResolver { _ in
      isAsked.set()
      await Task { await mayAnswer.wait() }.value
      return []
    }
    let question = Task { try await resolver.addresses(of: "a.test") }
    await isAsked.wait()
    question.cancel()
    let error = await #expect(throws: LupineError.self) { try await question.value }
    #expect(error?.kind == .cancelled)
    mayAnswer.set()
  }

  @Test func `names of this machine are those of RFC 6761`() {
    for host in ["localhost", "localhost.", "a.localhost", "A.LocalHost."] {
      #expect(IPAddress.ofThisMachine(host)?.map(\.description) == ["127.0.0.1", "::1"])
    }
    for host in ["localhost.test", "mylocalhost", "127.0.0.1", ""] { #expect(IPAddress.ofThisMachine(host) == nil) }
  }
}
