import LupineCore
import LupineEventLoop
import LupineTesting
import PeerSupport
import Synchronization
import Testing
import TransportSupport

@testable import LupineCurl

/// `TransportTests/CancelledStreamTests` has the tests of the requests themselves.
@Suite(.timeLimit(.minutes(1))) struct UnsentRequestTests {
  /// Runs in a process of its own, so that handles of other tests are not counted.
  @Test func `the handles of cancelled requests are kept until a later request has a response`() async throws {
    await #expect(processExitsWith: .success) {
      let count = 20
      let arrived = Mutex(Gate())
      let peer = try HTTP2Peer(isSecured: true) { stream, number in
        guard number == 0 || number > count else {
          arrived.withLock { $0 }.open()
          return []
        }
        return [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
      }
      let client = Client.trusting(isNative: false)
      #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
      // The multi, and the handle that the next request uses.
      #expect(HandleCount.current == 2)
      for _ in 1...count {
        let (gate, control) = (Gate(), ExchangeControl())
        arrived.withLock { $0 = gate }
        async let failure = client.failure(peer.url, control: control) { $0.options.version = .http2 }
        try await gate.opened()
        control.cancel(LupineError(.cancelled, "The test has changed its mind."))
        #expect(await failure?.kind == .cancelled)
      }
      #expect(HandleCount.current == (LibcurlInfo.usesRemovedHandles ? 1 + count : 1))
      #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
      #expect(HandleCount.current == 2)
      #expect(peer.connectionCount == 1)
      await client.transport.shutdown()
      #expect(HandleCount.current == 0)
      peer.stop()
    }
  }

  /// Many requests without a response may have been on one of several connections, or on one that is known.
  @Test func `with 500 handles that may be in use, the connections that may use them end`() async throws {
    await #expect(processExitsWith: .success) {
      let thread = LoopThread("test") { (_, _) throws(LupineError) in }
      let loop = try Loop(thread, WakeUp(), CurlTransport.Configuration(), ResolverLookups(.system))
      let multi = try Multi(Route(ConnectionKey(), .http2), loop)
      let connections = [WatchedSocket(900, multi), WatchedSocket(901, multi)]
      var requests = UnsentRequests()
      for (known, expected) in [(nil, connections), (connections[1], [connections[1]])] {
        for number in 1...500 {
          let spent = requests.add(try Easy(multi), stream: UInt32(number), on: known) { connections }
          #expect(spent.map(\.descriptor) == (number == 500 ? expected.map(\.descriptor) : []))
        }
      }
      // A response proves that the requests before it on its connection were sent, if that is known.
      connections[1].lastAnsweredStream = 500
      requests.closeUnused()
      #expect(HandleCount.current == 1 + 500)
      connections[0].isClosed = true
      requests.closeUnused()
      #expect(!requests.isEmpty)
      connections[1].isClosed = true
      requests.closeUnused()
      #expect(requests.isEmpty && HandleCount.current == 1)
      multi.close()
      loop.watchdog.close()
    }
  }
}
