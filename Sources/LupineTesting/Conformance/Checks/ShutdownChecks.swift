import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let shutdownChecks: [ConformanceCheck] = [inFlight, inBody, sendAfter, twice, unused, connectionsClose]

  private static let inFlight = ConformanceCheck("a shutdown ends a request that waits for its head") { stage in
    let arrived = Gate()
    try stage.play(holdsHead: true) { _ in
      .make { $0.before = [.signal(arrived), .wait(Gate())] }
    }
    let request = try stage.request()
    let pending = Task { _ = try await stage.fetch(request) }
    try await arrived.opened()
    await stage.transport.shutdown()
    try await stage.expect(error: .sessionShutDown, "The request") { try await pending.value }
  }

  private static let inBody = ConformanceCheck("a shutdown ends a body that is under way") { stage in
    try stage.play { _ in
      .make { response in
        response.framing = .length(100)
        response.body = [.text("some of it"), .wait(Gate())]
      }
    }
    let exchange = try await stage.send(stage.request())
    await stage.transport.shutdown()
    try await stage.expect(error: .sessionShutDown, "The body") { _ = try await exchange.end() }
  }

  private static let sendAfter = ConformanceCheck("after a shutdown nothing is sent") { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch("/before")
    await stage.transport.shutdown()
    try await stage.expect(error: .sessionShutDown, "The request") { _ = try await stage.fetch("/after") }
    try stage.expect(stage.peer.requests.map(\.target), ["/before"], "What the peer saw")
  }

  private static let twice = ConformanceCheck("a second shutdown does nothing") { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch()
    async let first: Void = stage.transport.shutdown()
    async let second: Void = stage.transport.shutdown()
    _ = await (first, second)
    await stage.transport.shutdown()
    try await stage.expect(error: .sessionShutDown, "The request") { _ = try await stage.fetch("/after") }
  }

  private static let unused = ConformanceCheck("a transport that was never used can be shut down") { stage in
    await stage.transport.shutdown()
    try stage.play { _ in .text("ok") }
    try await stage.expect(error: .sessionShutDown, "A request after it") { _ = try await stage.fetch() }
  }

  private static let connectionsClose = ConformanceCheck(
    "a shutdown closes connections that lie idle", needs: .networking
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch()
    await stage.transport.shutdown()
    try await stage.peer.waitForOpenConnections(0)
  }
}
