import LupineNative
import PeerSupport
import Testing

/// A server with TLS that fails at random and is restarted while requests run, in a process of its own.
///
/// `TransportTests` has the same load over a Unix-domain socket, for both transports.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
  @Test(arguments: [RestartedServerLoad.Line.secured, .http2])
  func `requests with cancellations, faults and restarts of the server leave nothing behind`(
    line: RestartedServerLoad.Line
  ) async throws {
    await #expect(processExitsWith: .success) { [line] in
      let problems = try await RestartedServerLoad.problems(of: NativeTransport(), threads: "lupine-native", over: line)
      #expect(problems == [])
    }
  }
}
