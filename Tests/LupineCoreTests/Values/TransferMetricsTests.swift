import Testing

@testable import LupineCore

@Suite struct TransferMetricsTests {
  private var fresh: TransferMetrics {
    var metrics = TransferMetrics()
    metrics.nameLookup = .milliseconds(10)
    metrics.connect = .milliseconds(20)
    metrics.secureConnect = .milliseconds(50)
    metrics.requestSent = .milliseconds(50)
    metrics.firstByte = .milliseconds(75)
    metrics.total = .milliseconds(100)
    metrics.bytesReceived = 5_120
    metrics.version = .http2
    metrics.remoteAddress = "127.0.0.1:443"
    return metrics
  }

  @Test func `a waterfall draws each phase at its time`() {
    #expect(
      fresh.waterfall == """
        name lookup  ████                                         10.00 ms
        connect          ████                                     10.00 ms
        TLS                  ████████████                         30.00 ms
        sending                          █                         0.00 ms
        waiting                          ██████████               25.00 ms
        receiving                                  ██████████     25.00 ms
        total 100.00 ms, 0 B up, 5120 B down, HTTP/2, 127.0.0.1:443
        """)
  }

  @Test func `each phase begins at the end of the previous one`() {
    #expect(fresh.phases.map(\.name) == ["name lookup", "connect", "TLS", "sending", "waiting", "receiving"])
    #expect(fresh.phases.map(\.start) == [0, 10, 20, 50, 50, 75].map { Duration.milliseconds($0) })
    #expect(fresh.phases.map(\.end) == [10, 20, 50, 50, 75, 100].map { Duration.milliseconds($0) })
  }

  @Test func `phases that did not happen are left out`() {
    var metrics = TransferMetrics()
    metrics.firstByte = .milliseconds(3)
    metrics.total = .milliseconds(4)
    metrics.isConnectionReused = true
    #expect(
      metrics.waterfall.split(separator: "\n").map { $0.prefix { $0 != " " } } == ["waiting", "receiving", "total"])
    #expect(metrics.waterfall.hasSuffix("reused connection"))
  }

  @Test func `an exchange that took no time is drawn all the same`() {
    #expect(TransferMetrics().waterfall == "total 0.00 ms, 0 B up, 0 B down")
    var metrics = TransferMetrics()
    metrics.firstByte = .zero
    #expect(metrics.waterfall.split(separator: "\n").count == 3)
  }

  @Test func `a response that begins while the request goes out ends the sending`() {
    var metrics = fresh
    metrics.requestSent = .milliseconds(90)
    #expect(!metrics.waterfall.contains("waiting"))
  }
}
