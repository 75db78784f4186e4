import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let cancellationChecks: [ConformanceCheck] =
    [beforeStart, whileUploading, whileWaitingForPiece, afterEnd, twice, otherExchange, connectionEnds, reasonIsKept]
    + [LupineError.Kind.cancelled, .timedOut(.total), .timedOut(.idle)].flatMap { [beforeHead($0), inBody($0)] }

  private static let reason = LupineError(.cancelled, "The check cancels this exchange.")

  private static func stalledHead(_ arrived: Gate) -> PeerReply {
    .make { response in
      response.before = [.signal(arrived), .wait(Gate())]
    }
  }

  private static let stalledBody = PeerReply.make { response in
    response.framing = .length(100)
    response.body = [.text("some of it"), .wait(Gate())]
  }

  private static let beforeStart = ConformanceCheck("an exchange that is cancelled beforehand sends nothing") { stage in
    try stage.play { _ in .text("ok") }
    let settings = StageSettings()
    settings.control.cancel(reason)
    try await stage.expect(error: .cancelled, "The request") { _ = try await stage.fetch("/cancelled", with: settings) }
    try stage.expect(try await stage.fetch("/next").text, "ok", "The next response")
    try stage.expect(stage.peer.requests.map(\.target), ["/next"], "What the peer saw")
  }

  private static func beforeHead(_ kind: LupineError.Kind) -> ConformanceCheck {
    ConformanceCheck("a request cancelled with \(kind) before the head ends with that kind") { stage in
      let arrived = Gate()
      try stage.play(holdsHead: true) { $0.target == "/next" ? .text("next") : stalledHead(arrived) }
      let settings = StageSettings()
      let request = try stage.request("/stalled")
      let pending = Task { _ = try await stage.fetch(request, settings) }
      try await arrived.opened()
      settings.control.cancel(LupineError(kind, "The check ends this exchange."))
      try await stage.expect(error: kind, "The request") { try await pending.value }
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    }
  }

  private static let reasonIsKept = ConformanceCheck(
    "a cancelled exchange ends with the reason of its control, with its message",
    about: "The transport throws `ExchangeControl.reason`, and no error of its own."
  ) { stage in
    let (arrived, reason) = (Gate(), LupineError(.timedOut(.total), "The check states this reason."))
    try stage.play(holdsHead: true) { $0.target == "/stalled" ? stalledHead(arrived) : stalledBody }
    let settings = StageSettings()
    let request = try stage.request("/stalled")
    let pending = Task { _ = try await stage.fetch(request, settings) }
    try await arrived.opened()
    settings.control.cancel(reason)
    let early = try await stage.expect(error: reason.kind, "The request") { try await pending.value }
    try stage.expect(early.message, reason.message, "The message of the request's error")
    let others = StageSettings()
    let exchange = try await stage.send(stage.request("/body"), others)
    others.control.cancel(reason)
    let late = try await stage.expect(error: reason.kind, "The body") { _ = try await exchange.end() }
    try stage.expect(late.message, reason.message, "The message of the body's error")
  }

  private static func inBody(_ kind: LupineError.Kind) -> ConformanceCheck {
    ConformanceCheck("a body cancelled with \(kind) ends with that kind") { stage in
      try stage.play { $0.target == "/next" ? .text("next") : stalledBody }
      let settings = StageSettings()
      let exchange = try await stage.send(stage.request("/stalled"), settings)
      settings.control.cancel(LupineError(kind, "The check ends this exchange."))
      try await stage.expect(error: kind, "The body") { _ = try await exchange.end() }
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    }
  }

  private static let whileUploading = ConformanceCheck(
    "a request that waits for its body ends when it is cancelled", needs: .streamedUploads
  ) { stage in
    try stage.play { _ in .text("ok") }
    let begun = Gate()
    let body = RequestBody.stream { StepSequence([.text("some"), .signal(begun), .wait(Gate()), .text("never")]) }
    let request = try stage.request("/cancelled", method: .post, body: body)
    let settings = StageSettings()
    let pending = Task { _ = try await stage.fetch(request, settings) }
    try await begun.opened()
    settings.control.cancel(reason)
    try await stage.expect(error: .cancelled, "The request") { try await pending.value }
    try stage.expect(try await stage.fetch("/next").text, "ok", "The next response")
    try stage.expect(stage.peer.requests.filter(\.isBodyComplete).map(\.target), ["/next"], "The whole requests")
  }

  private static let whileWaitingForPiece = ConformanceCheck(
    "a consumer that waits for a piece resumes when the exchange is cancelled"
  ) { stage in
    try stage.play { _ in stalledBody }
    var settings = StageSettings()
    settings.sink = .stream(window: 1 << 20)
    let exchange = try await stage.send(stage.request(), settings)
    try stage.expect(try await exchange.body.next()?.count, 10, "The bytes of the first piece")
    let pending = Task { _ = try await exchange.body.next() }
    settings.control.cancel(reason)
    try await stage.expect(error: .cancelled, "The next piece") { try await pending.value }
    try await stage.expect(error: .cancelled, "The end") { _ = try await exchange.end() }
  }

  private static let afterEnd = ConformanceCheck("cancelling after the end changes nothing") { stage in
    try stage.play { .text($0.target) }
    let settings = StageSettings()
    let exchange = try await stage.send(stage.request("/first"), settings)
    _ = try await exchange.end()
    settings.control.cancel(reason)
    try stage.expect(bytes: try await exchange.body.end().data, Array("/first".utf8), "The body, asked for again")
    try stage.expect(try await stage.fetch("/next").text, "/next", "The next response")
  }

  private static let twice = ConformanceCheck("of two cancellations the first counts") { stage in
    try stage.play { _ in stalledBody }
    let settings = StageSettings()
    let exchange = try await stage.send(stage.request(), settings)
    settings.control.cancel(LupineError(.timedOut(.idle), "The check's first reason."))
    settings.control.cancel(reason)
    try await stage.expect(error: .timedOut(.idle), "The body") { _ = try await exchange.end() }
  }

  private static let otherExchange = ConformanceCheck("cancelling one exchange leaves the others alone") { stage in
    let gate = Gate()
    try stage.play { request in
      request.target == "/stalled"
        ? stalledBody
        : .make { response in
          response.framing = .length(4)
          response.body = [.wait(gate), .text("late")]
        }
    }
    let settings = StageSettings()
    let stalled = try await stage.send(stage.request("/stalled"), settings)
    let other = try await stage.send(stage.request("/other"))
    settings.control.cancel(reason)
    try await stage.expect(error: .cancelled, "The cancelled body") { _ = try await stalled.end() }
    gate.open()
    try stage.expect(bytes: try await other.end().data, Array("late".utf8), "The other body")
  }

  private static let connectionEnds = ConformanceCheck(
    "a cancelled exchange closes its connection", needs: .networking,
    about: "The rest of its body must not reach another request."
  ) { stage in
    try stage.play { $0.target == "/next" ? .text("next") : stalledBody }
    let settings = StageSettings()
    let exchange = try await stage.send(stage.request(), settings)
    settings.control.cancel(reason)
    try await stage.expect(error: .cancelled, "The body") { _ = try await exchange.end() }
    try await stage.peer.waitForOpenConnections(0)
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }
}

extension ConformanceKit {
  static let shutdownChecks: [ConformanceCheck] = [
    inFlight, shutdownInBody, waitsForEnds, sendAfter, secondShutdown, unused, connectionsClose,
  ]

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

  private static let shutdownInBody = ConformanceCheck("a shutdown ends a body that is under way") { stage in
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

  private static let waitsForEnds = ConformanceCheck("a shutdown returns after the ends of all bodies") { stage in
    try stage.play { _ in stalledBody }
    let ends = (0..<20).map { _ in Gate() }
    for ended in ends {
      let exchange = try await stage.send(stage.request())
      exchange.body.onEnd { _ in ended.open() }
    }
    await stage.transport.shutdown()
    try stage.expect(ends.filter(\.isOpen).count, ends.count, "The bodies that have ended when the shutdown returns")
  }

  private static let sendAfter = ConformanceCheck("after a shutdown nothing is sent") { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch("/before")
    await stage.transport.shutdown()
    try await stage.expect(error: .sessionShutDown, "The request") { _ = try await stage.fetch("/after") }
    try stage.expect(stage.peer.requests.map(\.target), ["/before"], "What the peer saw")
  }

  private static let secondShutdown = ConformanceCheck("a second shutdown does nothing") { stage in
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
    "a shutdown closes idle connections", needs: .networking
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch()
    await stage.transport.shutdown()
    try await stage.peer.waitForOpenConnections(0)
  }
}
