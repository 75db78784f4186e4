#if Observability
  import HTTPTypes
  import LupineCore

  /// One exchange in the terms of OpenTelemetry's semantic conventions for HTTP clients.
  struct Hop: Sendable {
    /// The value of an attribute.
    enum Value: Sendable, Hashable, CustomStringConvertible {
      case text(String)
      case number(Int64)

      var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        }
      }
    }

    let request: RequestSummary
    let attempt: Int
    /// The number of earlier exchanges of the same request.
    let resendCount: Int
    let started: Duration
    private let target: HTTPURL?
    var status: Int?
    var peer: String?
    var bytesSent: Int64?
    var metrics: TransferMetrics?
    var error: LupineError?

    init(_ request: RequestSummary, attempt: Int, resendCount: Int, started: Duration) {
      self.request = request
      self.attempt = attempt
      self.resendCount = resendCount
      self.started = started
      target = try? HTTPURL(String(request.url.prefix { $0 != "?" }))
    }

    /// The method, or `_OTHER` for an unknown method, so that the number of names is bounded.
    var method: String { isKnown ? request.method.rawValue : "_OTHER" }

    /// The name of the exchange's span.
    var spanName: String { isKnown ? request.method.rawValue : "HTTP" }

    private var isKnown: Bool { KnownMethods.all.contains(request.method.rawValue) }

    /// The type of the failure; `nil` if the exchange succeeded.
    var errorType: String? {
      if let error { return Self.type(of: error) }
      return status.flatMap { $0 >= 400 ? String($0) : nil }
    }

    /// The attributes of spans and of log lines.
    var attributes: [(name: String, value: Value)] {
      var all: [(name: String, value: Value)] = [("http.request.method", .text(method))]
      if !isKnown { all.append(("http.request.method_original", .text(request.method.rawValue))) }
      all.append(("url.full", .text(request.maskedURL)))
      if let target {
        all += [("server.address", .text(target.host)), ("server.port", .number(Int64(target.effectivePort)))]
      }
      if resendCount > 0 { all.append(("http.request.resend_count", .number(Int64(resendCount)))) }
      if let bytesSent { all.append(("http.request.body.size", .number(bytesSent))) }
      return all + answer
    }

    private var answer: [(name: String, value: Value)] {
      var all: [(name: String, value: Value)] = []
      if let status { all.append(("http.response.status_code", .number(Int64(status)))) }
      if let version { all.append(("network.protocol.version", .text(version))) }
      if let (address, port) = peerParts {
        all.append(("network.peer.address", .text(address)))
        if let port { all.append(("network.peer.port", .number(port))) }
      }
      if let metrics { all.append(("http.response.body.size", .number(metrics.bytesReceived))) }
      if let errorType { all.append(("error.type", .text(errorType))) }
      return all
    }
  }

  extension Hop {
    /// Creates the exchange of a serialization failure from its error, because the table has removed the request.
    init?(_ event: SessionEvent) {
      guard case .serialized(_, _, let error?) = event.kind, let request = error.request else { return nil }
      self.init(request, attempt: event.attempt, resendCount: 0, started: event.time)
      status = error.response?.status.code
      metrics = error.metrics
      self.error = error
    }

    /// The server and the method, as dimensions of every metric.
    var server: [(String, String)] {
      var all = [("http.request.method", method)]
      if let target {
        all += [
          ("server.address", target.host), ("server.port", String(target.effectivePort)),
          ("url.scheme", target.scheme.rawValue),
        ]
      }
      return all
    }

    /// The server, the method and the result of the exchange, as dimensions of its metrics.
    var dimensions: [(String, String)] {
      var all = server
      if let status { all.append(("http.response.status_code", String(status))) }
      if let version { all.append(("network.protocol.version", version)) }
      if let errorType { all.append(("error.type", errorType)) }
      return all
    }

    /// The version without the name, such as `1.1` or `2`.
    private var version: String? {
      (metrics ?? error?.metrics)?.version.map { String($0.rawValue.split(separator: "/").last ?? "") }
    }

    private var peerParts: (String, Int64?)? {
      guard let peer, let colon = peer.lastIndex(of: ":") else { return peer.map { ($0, nil) } }
      let address = peer[..<colon].drop { $0 == "[" }
      return (String(address.last == "]" ? address.dropLast() : address), Int64(peer[peer.index(after: colon)...]))
    }

    /// Returns the name of a failure, from a bounded set.
    static func type(of error: LupineError) -> String {
      if case .unacceptableStatusCode(let status) = error.kind { return String(status) }
      return error.kind.name
    }
  }
#endif
