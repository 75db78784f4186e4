import HTTPTypes
import LupineCache
import LupineCore
import LupineFixtures
import LupineSession
import LupineTesting
import Testing
import TransportSupport

/// The decisions of the shared cache, compared with those of squid, a shared cache of another project.
///
/// The same requests are sent twice over sockets: through squid without Lupine's cache, and with Lupine's cache without
/// squid. The requests at the server show the decisions of each cache.
@Suite(
  .overEachTransport, .timeLimit(.minutes(2)),
  .enabled("squid is not running: run the tests beside Tests/Support/Peers/with-peers") {
    Peers.areRequired || Peers.squidCache != nil
  })
struct SharedCacheComparisonTests {
  @Test(arguments: ComparisonCase.all)
  func `squid and the shared cache decide alike except for the known differences`(_ test: ComparisonCase) async throws {
    let squid = try #require(Peers.squidCache, "squid is not running")
    let others = try await Self.verdicts(test) { $0.proxy(squid) }
    var configuration = HTTPCache.Configuration()
    configuration.isShared = true
    let cache = HTTPCache(memory: .megabytes(8), configuration)
    let own = try await Self.verdicts(test) { $0.install(.cache(cache)) }
    if let difference = test.knownDifference {
      #expect(own != others, "the caches decide alike, so this is no difference: \(difference)")
    } else {
      #expect(own == others, "\(test.name): the cache on the left, squid on the right")
    }
  }

  @Test func `each case has a name of its own, and each difference a reason`() {
    #expect(Set(ComparisonCase.all.map(\.name)).count == ComparisonCase.all.count)
    #expect(ComparisonCase.all.allSatisfy { $0.knownDifference?.contains("RFC") ?? true })
  }

  /// Sends the requests of a case one after the other; returns the verdict and the status of each.
  private static func verdicts(
    _ test: ComparisonCase, _ change: (Session.Builder) -> Session.Builder
  ) async throws -> [String] {
    let origin = ComparisonOrigin(test.replies)
    let server = try ScriptedServer { origin.answer($0) }
    defer { server.stop() }
    let builder = Session.Builder().transport(TestTransport.make()).timeouts(total: .seconds(30))
    let session = try change(builder).build()
    var verdicts: [String] = []
    for step in test.steps {
      let request = session.request(server.url + step.path, method: step.method, headers: RequestHeaders(step.headers))
      let response = await request.redirector(.doNotFollow).serializingData().response
      await session.finishBackgroundTasks()
      let asked = origin.takeAsked().map { $0 ? "validated" : "fetched" }
      let verdict = asked.isEmpty ? "from the cache" : asked.joined(separator: " and ")
      verdicts.append("\(verdict) \(response.response?.status.code ?? 0)")
    }
    await session.shutdown()
    return verdicts
  }
}
