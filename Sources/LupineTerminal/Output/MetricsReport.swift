#if Terminal
  import LupineCore
  import LupineFoundation

  /// The times of all exchanges of a request, for scripts.
  ///
  /// Times are in seconds. Those of an exchange count from its start, and each includes the previous ones.
  struct MetricsReport: Encodable {
    fileprivate struct Exchange: Encodable {
      var attempt: Int
      var method: String
      var url: String
      var status: Int?
      var started: Double
      var queued: Double?
      var nameLookup: Double?
      var connect: Double?
      var secureConnect: Double?
      var requestSent: Double?
      var firstByte: Double?
      var total: Double?
      var bytesSent: Int64?
      var bytesReceived: Int64?
      var version: String?
      var remoteAddress: String?
      var isConnectionReused: Bool?
      var tlsVersion: String?
    }

    private let exchanges: [Exchange]

    init(_ log: ExchangeLog) {
      exchanges = log.attempts.flatMap { attempt in
        attempt.hops.map { Exchange($0, attempt: attempt.number, start: log.started) }
      }
    }

    /// The report on one line.
    var line: String {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
  }

  extension MetricsReport.Exchange {
    fileprivate init(_ hop: ExchangeLog.Hop, attempt: Int, start: Duration) {
      self.attempt = attempt
      method = hop.request.method.rawValue
      url = hop.request.url
      status = hop.status
      started = Self.seconds(hop.started - start)
      guard let metrics = hop.metrics else { return }
      queued = metrics.queued.map(Self.seconds)
      nameLookup = metrics.nameLookup.map(Self.seconds)
      connect = metrics.connect.map(Self.seconds)
      secureConnect = metrics.secureConnect.map(Self.seconds)
      requestSent = metrics.requestSent.map(Self.seconds)
      firstByte = metrics.firstByte.map(Self.seconds)
      total = Self.seconds(metrics.total)
      (bytesSent, bytesReceived) = (metrics.bytesSent, metrics.bytesReceived)
      version = metrics.version?.rawValue
      remoteAddress = metrics.remoteAddress
      isConnectionReused = metrics.isConnectionReused
      tlsVersion = metrics.tls?.version
    }

    private static func seconds(_ time: Duration) -> Double { (time / .seconds(1) * 1e6).rounded() / 1e6 }
  }
#endif
