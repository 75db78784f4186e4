import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let connectionChecks: [ConformanceCheck] = [
    reused("two requests share a connection", .text("ok"), connections: 1),
    reused("a chunked response leaves its connection usable", .chunks([.text("ok")]), connections: 1),
    reused("a 204 leaves its connection usable", .bare(status: 204), connections: 1),
    reused("a 304 leaves its connection usable", .bare(status: 304), connections: 1),
    reused("a 500 leaves its connection usable", .text("oops", status: 500), connections: 1),
    reused("`Connection: close` is heeded", .text("ok", fields: ["Connection": "close"]), connections: 2),
    reused("a body until the end of its connection ends it", .make { $0.framing = .untilClose }, connections: 2),
    reused(
      "an HTTP/1.0 response without keep-alive ends its connection",
      .wire(ScriptedReply([.raw(text: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")], connection: .keep)),
      connections: 2),
    afterUpload, identities, closedWhileIdle, notSentTwice,
  ]

  private static func reused(_ name: String, _ reply: PeerReply, connections: Int) -> ConformanceCheck {
    ConformanceCheck(name, needs: .networking) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : reply }
      _ = try await stage.fetch()
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      try stage.expect(stage.peer.connectionCount, connections, "The connections made")
    }
  }

  private static let afterUpload = ConformanceCheck(
    "a request whose body was sent leaves its connection usable", needs: [.networking, .streamedUploads]
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(method: .put, body: .text("known"))
    _ = try await stage.fetch(method: .put, body: .stream { StepSequence([.text("unknown")]) })
    _ = try await stage.fetch()
    try stage.expect(stage.peer.connectionCount, 1, "The connections made")
  }

  private static let identities = ConformanceCheck(
    "two security identities never share a connection", needs: .networking, about: "S9."
  ) { stage in
    try stage.play { _ in .text("ok") }
    for policy: UInt64? in [nil, 1, 2, 1] {
      var settings = StageSettings()
      settings.identity = ConnectionKey(trustPolicy: policy)
      _ = try await stage.fetch(with: settings)
    }
    try stage.expect(stage.peer.connectionCount, 3, "The connections made for three identities")
  }

  private static let closedWhileIdle = ConformanceCheck(
    "a connection that the peer closed while it lay idle is replaced", needs: .networking
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
    "a request whose used connection dies is not sent again", needs: .networking,
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
