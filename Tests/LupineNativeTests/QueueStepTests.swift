import HeapModule
import LupineCore
import LupineEventLoop
import LupineSupport
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

@testable import LupineNative

/// The work of the loop's queues with many waiting exchanges, in steps.
@Suite struct QueueStepTests {
  private final class Waiting: StreamWaiter {
    let route: Route
    let options = ConnectionOptions()
    let asksForHTTP2 = true
    var place: RemovableQueue<any StreamWaiter>.Place?

    init(_ route: Route) { self.route = route }

    func stopWaiting(for shared: HTTP2Connection) {}
    func makeConnection() {}
  }

  /// Ten times as many elements need at most 17 times as many steps, if each needs logarithmic work.
  private func expectGrowth(_ small: Int, _ large: Int) {
    #expect(small >= 100)
    #expect(large <= 20 * small)
  }

  @Test(arguments: [false, true])
  func `an exchange that waits for a stream is removed in constant work`(isReversed: Bool) async throws {
    func steps(_ count: Int) async throws -> Int {
      let route = Route(try HTTPURL("https://a.example.com/").origin, ConnectionKey())
      let all = (0..<count).map { _ in Waiting(route) }
      return await StepCount.count {
        for exchange in all { exchange.place = route.sharing.append(exchange) }
        for exchange in isReversed ? all.reversed() : all {
          if let place = exchange.place { route.sharing.remove(place) }
        }
        #expect(route.sharing.first == nil)
      }
    }
    expectGrowth(try await steps(1_000), try await steps(10_000))
  }

  @Test func `an exchange that tries its next address is found in logarithmic work`() async {
    func steps(_ count: Int) async -> Int {
      await StepCount.count {
        var heap = Heap<NextAddress>()
        for id in 0..<count { heap.insert(NextAddress(time: UInt64(id * 7_919 % count), id: UInt64(id))) }
        var last: UInt64 = 0
        while let next = heap.popMin() {
          #expect(next.time >= last)
          last = next.time
        }
      }
    }
    expectGrowth(await steps(1_000), await steps(10_000))
  }

  /// At most 1,000 exchanges wait for a lookup.
  @Test(arguments: [false, true])
  func `an exchange that waits for a lookup is removed in constant work`(isOneName: Bool) async throws {
    func steps(_ count: Int) async throws -> Int {
      let lookups = HostLookups(.blocking { _ in .failure("unused") }, limit: 1)
      // No thread starts, so that all names wait.
      return try await StepCount.count {
        let waiters = try (0...count).map { number in
          try lookups.addWaiter(for: isOneName && number > 0 ? "same" : "\(number)") { _ in }
        }
        #expect(lookups.waitingCount == count + 1)
        for waiter in waiters { #expect(lookups.removeWaiter(waiter)) }
        #expect(lookups.waitingCount == 0)
      }
    }
    // Each name takes steps in the queue; the exchanges of one name are in a table.
    if !isOneName {
      expectGrowth(try await steps(99), try await steps(990))
    } else {
      #expect(try await steps(990) <= 10)
    }
  }

  /// The exchanges of a session have copies of one key.
  @Test func `a route is found without a look at the addresses and rules of its key`() async throws {
    func steps(_ count: Int) async throws -> Int {
      var key = ConnectionKey()
      var policy = NetworkPolicy(otherwise: .deny)
      for number in 0..<count {
        let address = try #require(IPAddress("192.0.2.\(number % 256)"))
        key.resolverOverrides.set([address], of: "host\(number).example.com")
        policy = policy.allowing("192.0.2.\(number % 256)")
      }
      key.networkPolicy = policy
      var (routes, entered) = (Routes(), [Route]())
      return try await StepCount.count {
        // The next URL is another one, or the same one.
        for number in 0..<100 { entered.append(routes.enter(try HTTPURL("http://example.com/\(number / 2)"), key)) }
        #expect(entered.allSatisfy { $0 === entered[0] })
      }
    }
    #expect(try await steps(1_000) == 0)
  }

  @Test func `an idle connection is found, used and closed in logarithmic work`() async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let port = server.port
    func steps(_ count: Int) async throws -> Int {
      let limits = PoolLimits(perHost: 1_000, idleLifetime: .seconds(90), lifetime: .seconds(3600))
      let thread = LoopThread("pool") { (_, _) throws(LupineError) in }
      let pool = try Connections(limits, ConnectionTotal(limit: 1_000), on: thread)
      let url = try HTTPURL(server.url)
      let address = try #require(IPAddress("127.0.0.1"))
      return try await StepCount.count {
        var all: [Connection] = []
        for number in 0..<count {
          let route = pool.routes.enter(url, ConnectionKey(trustPolicy: UInt64(number % 7)))
          let user = NoUser()
          let target = SocketTarget.internet(address, port: port)
          let connection = try pool.open(target, for: route, ConnectionOptions(), user: user)
          pool.routes.leave(route)
          all.append(connection)
          pool.now = UInt64(number * 37 % count)
          pool.keep(connection, ConnectionOptions())
        }
        #expect(pool.idleCount == count)
        for connection in all.dropFirst(count / 2) { pool.close(connection) }
        pool.now = .max / 2
        pool.closeExpired()
        #expect(pool.idleCount == 0)
        #expect(pool.openCount == 0)
        #expect(pool.nextExpiry == nil)
      }
    }
    expectGrowth(try await steps(30), try await steps(300))
  }

  private final class NoUser: ConnectionUser {
    func connectionIsReady(_ connection: Connection) {}
  }

  @Test func `a thousand exchanges that wait for one stream are cancelled together, and the next one is answered`()
    async throws
  {
    let release = Gate()
    let peer = try HTTP2Peer(settings: HTTP2Peer.Frame.maximumStreams(1).payload) { stream, number in
      if number == 0 { try? release.blockUntilOpen() }
      return [.send(.head(stream, [("content-length", "2")])), .send(.data(stream, "ok", ends: true))]
    }
    defer { peer.stop() }
    var configuration = NativeTransport.Configuration()
    configuration.network.connectionsPerHost = 1
    let client = Client.native(configuration)
    let controls = (0..<1_000).map { _ in ExchangeControl() }
    await withTaskGroup(of: LupineError?.self) { group in
      group.addTask { await client.failure(peer.url) { $0.options.version = .http2 } }
      while peer.requestCount == 0 { await Task.yield() }
      for control in controls {
        group.addTask { await client.failure(peer.url, control: control) { $0.options.version = .http2 } }
      }
      for control in controls { control.cancel(LupineError(.cancelled, "The test has seen enough.")) }
      release.open()
      let errors = await group.reduce(into: []) { $0.append($1) }
      #expect(errors.count { $0?.kind == .cancelled } == 1_000)
      #expect(errors.count { $0 == nil } == 1)
    }
    #expect(try await client.fetch(peer.url) { $0.options.version = .http2 }.text == "ok")
    #expect(peer.connectionCount == 1)
    await client.transport.shutdown()
  }
}
