import LupineCore
import PeerSupport
import Testing
import TransportSupport

/// A server that fails at random and is restarted while requests run, in a process of its own.
@Suite(.overEachTransport) struct RestartTests {
  @Test func `requests with cancellations, faults and restarts of the server leave nothing behind`() async throws {
    await #expect(processExitsWith: .success) { [isNative = TestTransport.isNative as Bool] in
      let transport = TestTransport.make(isNative: isNative)
      let problems = try await RestartedServerLoad.problems(of: transport, threads: transport.threadName)
      #expect(problems == [])
    }
  }
}
