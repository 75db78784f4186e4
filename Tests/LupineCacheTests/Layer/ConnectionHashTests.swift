import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import Testing

@testable import LupineCache

/// Two caches with the same hash key, as in two processes, share responses under the rules of connection keys.
@Suite struct ConnectionHashTests {
  private static func cache(_ key: [UInt8] = CacheBench.key) throws -> HTTPCache {
    try HTTPCache(store: MemoryResponseStore(size: .megabytes(8)), hashKey: key)
  }

  private static func key(_ change: (inout ConnectionKey) -> Void) -> ConnectionKey {
    var key = ConnectionKey()
    change(&key)
    return key
  }

  /// Keys that other processes can compare; all differ.
  private static func portable() throws -> [ConnectionKey] {
    let proxy = try Proxy("http://proxy.example.com:3128")
    return [
      ConnectionKey(), key { $0.certificateAuthorities = "/a.pem" }, key { $0.certificateAuthorities = "/b.pem" },
      key { $0.additionalCertificateAuthorities = "/a.pem" }, key { $0.minimumTLSVersion = .tls1_3 },
      key { $0.maximumTLSVersion = .tls1_3 }, key { $0.networkPolicy = .publicInternetOnly },
      key { $0.connectionCredential = .ntlm(username: "ali", password: "a") },
      key { $0.connectionCredential = .ntlm(username: "ali", password: "b") },
      key { $0.proxy = proxy }, key { $0.proxy = proxy.credential(username: "ali", password: "a") },
      key { $0.proxy = proxy.credential(username: "bob", password: "a") },
      key { $0.proxy = proxy.connectionCredential(.ntlm(username: "ali", password: "a")) },
    ]
  }

  /// Keys with a part that another process cannot compare; all differ.
  private static let local: [ConnectionKey] = [
    key { $0.trustPolicy = 1 }, key { $0.trustPolicy = 2 }, key { $0.clientCertificate = .pem("/a.pem") },
    key { $0.clientCertificate = .pem("/b.pem") }, key { $0.unixSocket = "/run/a.sock" },
    key { $0.localAddress = IPAddress("192.0.2.1") }, key { $0.networkPolicy = .loopbackOnly },
    key { $0.connectionCredential = .negotiate },
    key { $0.resolverOverrides.set([], of: "example.com") },
  ]

  @Test func `two caches have the same hash for an equal key, and another for each other key`() throws {
    let (first, second) = (try Self.cache().storage, try Self.cache().storage)
    let keys = try Self.portable()
    #expect(keys.map(first.connection) == keys.reversed().map(second.connection).reversed())
    #expect(Set(keys.map(first.connection)).count == keys.count)
    let other = try Self.cache(CacheBench.key + [1]).storage
    #expect(zip(keys.dropFirst().map(first.connection), keys.dropFirst().map(other.connection)).allSatisfy { $0 != $1 })
  }

  @Test func `a key with a part of one process has a hash of one cache alone`() throws {
    let (first, second) = (try Self.cache().storage, try Self.cache().storage)
    let hashes = Self.local.map(first.connection)
    #expect(hashes == Self.local.map(first.connection))
    #expect(Set(hashes + Self.local.map(second.connection)).count == 2 * Self.local.count)
  }

  @Test func `no hash has a secret`() throws {
    let key = Self.key { $0.connectionCredential = .ntlm(username: "ali", password: "open-sesame") }
    #expect(try !Self.cache().storage.connection(key).contains("sesame"))
  }

  @Test func `two caches over one store share a response under equal keys alone`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    func bench(_ number: Int, _ change: (Session.Builder) -> Session.Builder) throws -> CacheBench {
      let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key), change)
      bench.stub(.cached("\(number)", "max-age=60"))
      return bench
    }
    let first = try bench(1) { $0.networkPolicy(.publicInternetOnly) }
    #expect(await first.get().text == "1")
    await first.session.finishBackgroundTasks()
    #expect(try await bench(2) { $0.networkPolicy(.publicInternetOnly) }.get().text == "1")
    #expect(try await bench(3) { $0 }.get().text == "3")
  }
}
