import LupineCore
import LupineFixtures
import PeerSupport
import Testing
import TransportSupport

@testable import LupineCurl

@Suite(.overEachTransport) struct LeakTests {
  /// Runs in a process of its own, so that descriptors and threads of other tests are not counted.
  @Test func `ten thousand requests, cancelled at random, leave no descriptor, thread or handle behind`() async throws {
    await #expect(processExitsWith: .success) { [isNative = TestTransport.isNative as Bool] in
      let load = try CancelledLoad(bodies: [.none, .text("body"), .stream { Pieces([[1], [2]]) }]) {
        TestTransport.make(isNative: isNative)
      }
      try await load.run(workers: 1, requests: 4)
      let before = try ProcessResources()
      try await load.run(workers: 50, requests: 200)
      let after = try ProcessResources()
      #expect(after.descriptors == before.descriptors)
      #expect(after.threadCount(named: TestTransport.make(isNative: isNative).threadName) == 0)
      #expect(HandleCount.current == 0)
      #expect(load.receivedCount > 4_000)
    }
  }
}
