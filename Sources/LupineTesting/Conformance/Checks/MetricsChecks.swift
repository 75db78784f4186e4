import HTTPTypes
import LupineCore

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

  private static let times = ConformanceCheck("metrics tell times in their order", needs: .networking) { stage in
    try stage.play { _ in .text("ok") }
    let metrics = try await stage.fetch().end.metrics
    let times = [metrics.nameLookup, metrics.connect, metrics.firstByte, metrics.total].compactMap { $0 }
    try stage.expect(metrics.connect != nil && metrics.firstByte != nil, "Whether connect and first byte are told")
    try stage.expect(times == times.sorted(), "Whether each time includes those before it", got: "\(metrics)")
    try stage.expect(metrics.total > .zero, "Whether the total is more than nothing")
    try stage.expect(metrics.secureConnect == nil, "Whether no TLS handshake is told of plain HTTP")
    try stage.expect(metrics.version, .http1_1, "The version")
  }

  private static let reuse = ConformanceCheck("metrics and events tell a used connection", needs: .networking) {
    stage in
    try stage.play { _ in .text("ok") }
    let first = try await stage.fetch()
    let second = try await stage.fetch()
    try stage.expect(first.end.metrics.isConnectionReused, false, "Of the first exchange")
    try stage.expect(second.end.metrics.isConnectionReused, true, "Of the second exchange")
    try stage.expect(second.end.metrics.connect == nil, "Whether a used connection has no time to connect")
    try stage.expect([first.log.reused, second.log.reused], [[false], [true]], "The events")
  }

  private static let address = ConformanceCheck("metrics tell the address that was dialled", needs: .networking) {
    stage in
    try stage.play { _ in .text("ok") }
    let metrics = try await stage.fetch().end.metrics
    try stage.expect(metrics.remoteAddress, try stage.request().url.authority, "The address")
  }

  private static let failure = ConformanceCheck("a failed exchange tells what it cost") { stage in
    try stage.play { _ in .end(.reset) }
    let error = try await stage.expect(error: .connectionLost, "The request") {
      _ = try await stage.fetch(method: .post, body: .text("twelve bytes"))
    }
    try stage.expect(error.metrics?.bytesSent, 12, "The bytes sent")
    try stage.expect(error.metrics?.bytesReceived, 0, "The bytes received")
  }
}
