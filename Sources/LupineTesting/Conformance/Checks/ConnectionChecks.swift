import HTTPTypes
import LupineCore
import LupineFoundation

extension ConformanceKit {
  static let connectionChecks: [ConformanceCheck] = [
    reused("two requests share a connection", .text("ok"), connections: 1),
    reused("a chunked response leaves its connection usable", .chunks([.text("ok")]), connections: 1),
    reused("a 204 leaves its connection usable", .bare(status: 204), connections: 1),
    reused("a 304 leaves its connection usable", .bare(status: 304), connections: 1),
    reused("a 500 leaves its connection usable", .text("oops", status: 500), connections: 1),
    reused("`Connection: close` is respected", .text("ok", fields: ["Connection": "close"]), connections: 2),
    reused(
      "`close` in a list is respected although the peer leaves the connection open",
      .wire(
        ScriptedReply(
          [.raw(text: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: a, Close\r\n\r\n")], connection: .keep)),
      connections: 2),
    reused("a body until the end of its connection ends it", .make { $0.framing = .untilClose }, connections: 2),
    reused(
      "an HTTP/1.0 response without keep-alive ends its connection",
      .wire(ScriptedReply([.raw(text: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")], connection: .keep)),
      connections: 2),
    closedByRequest, afterUpload, identities, closedWhileIdle, notSentTwice, namedHost,
  ]

  private static func reused(_ name: String, _ reply: PeerReply, connections: Int) -> ConformanceCheck {
    ConformanceCheck(name, needs: connections == 1 ? [.networking, .connectionReuse] : .networking) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : reply }
      _ = try await stage.fetch()
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      try stage.expect(stage.peer.connectionCount, connections, "The connections made")
    }
  }

  private static let closedByRequest = ConformanceCheck(
    "a request with `Connection: close` ends its connection", needs: .networking, about: "RFC 9112 section 9.6."
  ) { stage in
    try stage.play { _ in .wire(.verbatim("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) }
    _ = try await stage.fetch(headers: [.connection: "close"])
    try stage.expect(try await stage.fetch("/next").text, "ok", "The next response")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }

  /// The peer listens on 127.0.0.1 alone, and a system may give ::1 first.
  private static let namedHost = ConformanceCheck(
    "a host's name is resolved, and its addresses are tried in turn", needs: .networking
  ) { stage in
    let (url, reservation) = try playOnLocalhost(stage)
    let response = try await stage.fetch(OutgoingRequest(url: url))
    withExtendedLifetime(reservation) {}
    try stage.expect(response.text, "ok", "The body")
    try stage.expect(response.log.resolvedHosts, ["localhost"], "The hosts of the events nameResolved")
    try stage.expect(response.end.metrics.nameLookup != nil, "Whether the time of the lookup is reported")
  }

  /// Starts a peer whose port no other program has on ::1; returns its URL with the name `localhost`.
  static func playOnLocalhost(_ stage: ConformanceStage) throws -> (url: HTTPURL, reservation: ReservedPort) {
    while true {
      try stage.play { _ in .text("ok") }
      let url = try HTTPURL(stage.peer.url.replacing("127.0.0.1", with: "localhost") + "/")
      let reservation = ReservedPort(url.effectivePort)
      if !reservation.isTaken { return (url, reservation) }
      try stage.peer.stop()
    }
  }

  private static let afterUpload = ConformanceCheck(
    "a request whose body was sent leaves its connection usable",
    needs: [.networking, .connectionReuse, .streamedUploads]
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .put, body: .text("known"))
    _ = try await stage.fetch(method: .put, body: .stream { StepSequence([.text("unknown")]) })
    _ = try await stage.fetch()
    try stage.expect(stage.peer.connectionCount, 1, "The connections made")
  }

  private static let identities = ConformanceCheck(
    "exchanges with different connection keys never share a connection", needs: [.networking, .connectionReuse]
  ) { stage in
    try stage.play { _ in .text("ok") }
    for policy: UInt64? in [nil, 1, 2, 1] {
      var settings = StageSettings()
      settings.connectionKey = ConnectionKey(trustPolicy: policy)
      _ = try await stage.fetch(with: settings)
    }
    try stage.expect(stage.peer.connectionCount, 3, "The connections made for three connection keys")
  }

  private static let closedWhileIdle = ConformanceCheck(
    "a connection that the peer closed while it was idle is replaced", needs: .networking
  ) { stage in
    try stage.play { request in
      .wire(
        ScriptedReply(
          [.raw(text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")],
          connection: request.number == 0 ? .close : .keep))
    }
    _ = try await stage.fetch()
    try await stage.peer.waitForOpenConnections(0)
    try stage.expect(try await stage.fetch().text, "ok", "The next response")
    try stage.expect(stage.peer.connectionCount, 2, "The connections made")
  }

  private static let notSentTwice = ConformanceCheck(
    "a request whose reused connection is lost is not sent again", needs: .networking,
    about: "Whether to repeat it is the session's decision."
  ) { stage in
    try stage.play { $0.number == 0 ? .text("ok") : .end(.close) }
    _ = try await stage.fetch("/1")
    try await stage.expect(error: .connectionLost, "The second request") {
      _ = try await stage.fetch("/2", method: .post, body: .text("pay"))
    }
    try stage.expect(stage.peer.requests.map(\.target), ["/1", "/2"], "What the peer saw")
  }
}

extension ConformanceKit {
  static let concurrencyChecks: [ConformanceCheck] = [hundred, hundredUploads, sequence]

  private static let hundred = ConformanceCheck("a hundred requests at once each get their own answer") { stage in
    stage.ignoreOrder()
    try stage.play { .text("answer to \($0.target)", fields: ["X-Target": $0.target]) }
    try await atOnce(100) { number in
      let response = try await stage.fetch("/\(number)")
      try stage.expect(response.text, "answer to /\(number)", "The body of request \(number)")
      try stage.expect(RawFields(response.head.headerFields)["X-Target"], "/\(number)", "X-Target of request \(number)")
    }
    try stage.expect(stage.peer.requests.count, 100, "The requests that arrived")
  }

  private static let hundredUploads = ConformanceCheck("a hundred bodies at once each arrive whole") { stage in
    stage.ignoreOrder()
    try stage.play { .bytes($0.body) }
    try await atOnce(100) { number in
      let bytes = [UInt8](repeating: UInt8(number), count: 10_000 + number)
      let response = try await stage.fetch("/\(number)", method: .post, body: .bytes(.init(bytes)))
      try stage.expect(bytes: response.end.data, bytes, "The echo of request \(number)")
    }
  }

  private static let sequence = ConformanceCheck("a hundred requests one after the other each get their own answer") {
    stage in
    try stage.play { $0.number % 3 == 0 ? .chunks([.text($0.target)]) : .text($0.target) }
    for number in 0..<100 {
      try stage.expect(try await stage.fetch("/\(number)").text, "/\(number)", "The body of request \(number)")
    }
  }

  private static func atOnce(
    _ count: Int, _ operation: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count { group.addTask { try await operation(number) } }
      try await group.waitForAll()
    }
  }
}

extension ConformanceKit {
  static let metricsChecks: [ConformanceCheck] = [counts, countsOfStream, times, reuse, address, failure]

  private static let counts = ConformanceCheck("metrics count the bytes of both bodies") { stage in
    try stage.play { _ in .bytes(numberedBytes(2345)) }
    let metrics = try await stage.fetch(method: .post, body: .text("twelve bytes")).end.metrics
    try stage.expect(metrics.bytesSent, 12, "The bytes sent")
    try stage.expect(metrics.bytesReceived, 2345, "The bytes received")
  }

  private static let countsOfStream = ConformanceCheck(
    "metrics count content and not its chunks", needs: .streamedUploads
  ) { stage in
    try stage.play { _ in .chunks([.text("hello"), .text("world")]) }
    let body = RequestBody.stream { StepSequence([.text("abc"), .text("def")]) }
    let metrics = try await stage.fetch(method: .post, body: body).end.metrics
    try stage.expect(metrics.bytesSent, 6, "The bytes sent")
    try stage.expect(metrics.bytesReceived, 10, "The bytes received")
  }

  private static let times = ConformanceCheck("metrics report times in their order", needs: .networking) { stage in
    try stage.play { _ in .text("ok") }
    let metrics = try await stage.fetch().end.metrics
    let times = [metrics.nameLookup, metrics.connect, metrics.requestSent, metrics.firstByte, metrics.total]
      .compactMap { $0 }
    try stage.expect(
      metrics.connect != nil && metrics.requestSent != nil && metrics.firstByte != nil,
      "Whether the times of connect, request and first byte are reported")
    try stage.expect(times == times.sorted(), "Whether each time includes those before it", got: "\(metrics)")
    try stage.expect(metrics.total > .zero, "Whether the total is more than nothing")
    try stage.expect(metrics.secureConnect == nil, "Whether plain HTTP has no time of a TLS handshake")
    try stage.expect(metrics.version, .http1_1, "The version")
  }

  private static let reuse = ConformanceCheck(
    "metrics and events report a reused connection", needs: [.networking, .connectionReuse]
  ) { stage in
    try stage.play { _ in .text("ok") }
    let first = try await stage.fetch()
    let second = try await stage.fetch()
    try stage.expect(first.end.metrics.isConnectionReused, false, "Of the first exchange")
    try stage.expect(second.end.metrics.isConnectionReused, true, "Of the second exchange")
    try stage.expect(second.end.metrics.connect == nil, "Whether a used connection has no time to connect")
    try stage.expect([first.log.reused, second.log.reused], [[false], [true]], "The events")
  }

  private static let address = ConformanceCheck("metrics report the address of the connection", needs: .networking) {
    stage in
    try stage.play { _ in .text("ok") }
    let metrics = try await stage.fetch().end.metrics
    try stage.expect(metrics.remoteAddress, try stage.request().url.authority, "The address")
  }

  private static let failure = ConformanceCheck("a failed exchange reports its metrics") { stage in
    try stage.play { _ in .end(.reset) }
    let error = try await stage.expect(error: .connectionLost, "The request") {
      _ = try await stage.fetch(method: .post, body: .text("twelve bytes"))
    }
    try stage.expect(error.metrics?.bytesSent, 12, "The bytes sent")
    try stage.expect(error.metrics?.bytesReceived, 0, "The bytes received")
  }
}
