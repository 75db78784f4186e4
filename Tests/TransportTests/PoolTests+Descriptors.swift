import Glibc
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineTesting
import Testing
import TransportSupport

/// The limit of file descriptors of a process.
private enum Descriptors {
  /// Sets the limit so that the process cannot open another descriptor.
  static func exhaust() {
    let next = dup(2)
    close(next)
    limit(to: UInt(next))
  }

  static func limit(to count: UInt) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = count
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Tests without a free descriptor, each in a process of its own.
extension PoolTests {
  @Test func `a process that has no descriptor at its first request gets an error`() async throws {
    await #expect(processExitsWith: .success) { [isNative = TestTransport.isNative as Bool] in
      let session = try Session.Builder().transport(TestTransport.make(isNative: isNative)).build()
      Descriptors.exhaust()
      let error = await session.request("http://127.0.0.1:1/").serializingData().response.error
      Descriptors.limit(to: 1_000)
      #expect(error?.message.contains("EMFILE") == true, "\(error.map { "\($0)" } ?? "none")")
      let later = await session.request("http://127.0.0.1:1/").serializingData().response.error
      #expect(later?.kind == .connectionRefused)
    }
  }

  @Test func `a connection for which no descriptor is left is an error that names the reason`() async throws {
    await #expect(processExitsWith: .success) { [isNative = TestTransport.isNative as Bool] in
      let server = try ScriptedServer(always: .respond(body: .text("x")))
      let client = Client(TestTransport.make(isNative: isNative))
      #expect(await client.failure("http://127.0.0.1:1/")?.kind == .connectionRefused)
      Descriptors.exhaust()
      let error = await client.failure(server.url)
      Descriptors.limit(to: 1_000)
      #expect(error?.message.contains("EMFILE") == true, "\(error.map { "\($0)" } ?? "none")")
      #expect(try await client.fetch(server.url).text == "x")
      await client.transport.shutdown()
    }
  }

  /// Uses servers in other processes, because the limit would also apply to a server in this process.
  @Test(.enabled(if: Peers.nginx != nil || Peers.areRequired), arguments: [false, true])
  func `an idle connection is closed to make room for another`(hasOtherIdentity: Bool) async throws {
    await #expect(processExitsWith: .success) { [hasOtherIdentity, isNative = TestTransport.isNative as Bool] in
      let (first, second) = (try #require(Peers.nginx), try #require(Peers.httpbin))
      let client = Client(TestTransport.make(isNative: isNative))
      #expect(try await client.fetch(first + "/hello").status == 200)
      Descriptors.exhaust()
      var connectionKey = ConnectionKey()
      if hasOtherIdentity { connectionKey.localAddress = IPAddress("127.0.0.1") }
      let context = TransferContext(
        id: RequestID(1), connectTimeout: .seconds(10), connectionKey: connectionKey,
        sink: { _ in .collect(limit: 10_000) })
      let response = try await client.transport.send(OutgoingRequest(url: HTTPURL(second + "/get")), in: context)
      #expect(response.head.status.code == 200)
      _ = try await response.body.end()
      #expect(await client.transport.connectionPool()?.open == 1)
      Descriptors.limit(to: 1_000)
      await client.transport.shutdown()
    }
  }
}
