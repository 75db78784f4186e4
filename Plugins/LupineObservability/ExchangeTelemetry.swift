#if Observability
  import HTTPTypes
  import LupineCore
  import LupineFoundation
  import Synchronization

  /// One exchange in the terms of OpenTelemetry's semantic conventions for HTTP clients.
  struct ExchangeTelemetry: Sendable {
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
      return all + responseAttributes
    }

    private var responseAttributes: [(name: String, value: Value)] {
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

  extension ExchangeTelemetry {
    /// Creates the exchange of a serialization failure from its error, because the table has removed the request.
    init?(_ event: SessionEvent) {
      guard case .serialized(_, _, let error?) = event.kind, let request = error.request else { return nil }
      self.init(request, attempt: event.attempt, resendCount: 0, started: event.time)
      status = error.response?.status.code
      metrics = error.metrics
      self.error = error
    }

    /// The server and the method, as dimensions of every metric.
    var serverDimensions: [(String, String)] {
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
      var all = serverDimensions
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

  /// The current exchange of each request, updated by the session's events.
  final class ExchangeTable: Sendable {
    /// The effect of an event.
    struct Change: Sendable {
      /// The exchange that began.
      var begun: ExchangeTelemetry?
      /// The exchange that ended.
      var ended: ExchangeTelemetry?
      /// The request's latest exchange, ended or not.
      var current: ExchangeTelemetry?
    }

    fileprivate struct Entry: Sendable {
      var exchange: ExchangeTelemetry
      var isRunning = true
    }

    private let entries = Mutex<[RequestID: Entry]>([:])

    /// Applies an event to the table.
    func apply(_ event: SessionEvent) -> Change {
      entries.withLock { entries in
        if case .sending(let summary, _) = event.kind {
          return Self.begin(summary, event, &entries[event.request])
        }
        guard var entry = entries[event.request] else { return Change() }
        let wasRunning = entry.isRunning
        entry.apply(event.kind)
        var isOver = false
        if case .finished = event.kind { isOver = true }
        entries[event.request] = isOver ? nil : entry
        return Change(ended: wasRunning && !entry.isRunning ? entry.exchange : nil, current: entry.exchange)
      }
    }

    /// Returns the latest exchange of a request.
    func current(of request: RequestID) -> ExchangeTelemetry? { entries.withLock { $0[request]?.exchange } }

    private static func begin(_ summary: RequestSummary, _ event: SessionEvent, _ entry: inout Entry?) -> Change {
      let last = entry
      let exchange = ExchangeTelemetry(
        summary, attempt: event.attempt, resendCount: last.map { $0.exchange.resendCount + 1 } ?? 0, started: event.time
      )
      entry = Entry(exchange: exchange)
      return Change(begun: exchange, ended: last.flatMap { $0.isRunning ? $0.exchange : nil }, current: exchange)
    }
  }

  extension ExchangeTable.Entry {
    fileprivate mutating func apply(_ kind: SessionEvent.Kind) {
      switch kind {
      case .connected(let address, _): exchange.peer = address
      case .sent(let bytes): exchange.bytesSent = bytes
      case .head(let head): exchange.status = head.status.code
      case .received(_, let metrics):
        exchange.metrics = metrics
        isRunning = false
      case .failed(let error), .resending(let error, _):
        exchange.error = error
        isRunning = false
      case .finished(let error):
        if isRunning { exchange.error = error }
        isRunning = false
      default: break
      }
    }
  }

  /// The methods that telemetry records by name.
  enum KnownMethods {
    /// The methods that the environment variable names, otherwise the standard's.
    static let all = named(
      by: ProcessInfo.processInfo.environment["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"])

    /// Returns the methods of a comma-separated list, case-sensitive; for an empty list, those of RFC 9110, RFC 5789
    /// and QUERY.
    static func named(by list: String?) -> Set<String> {
      let names = (list ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
      return names.isEmpty ? standard : Set(names)
    }

    private static let standard: Set<String> = [
      "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]
  }
#endif
