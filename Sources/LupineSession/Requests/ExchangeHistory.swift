import HTTPTypes
import LupineCore
import LupineSupport

/// The exchanges of a request: the last one, and the values of earlier ones that are still needed.
struct ExchangeHistory {
  /// The number of metrics that are kept; an event stream may make any number of exchanges.
  static let metricsLimit = 100

  /// The last exchange of the request, in this attempt or an earlier one.
  private(set) var last = LastExchange()
  /// The metrics of the newest exchanges before the last one.
  private var formerMetrics: [TransferMetrics] = []
  /// The outcome of the previous attempt; `nil` once another exchange begins.
  private(set) var formerOutcome: RequestOutcome?
  /// The proxy's response that opened the tunnel of the current exchange.
  var tunnel: HTTPResponse?

  /// The metrics of the newest exchanges that have ended.
  var allMetrics: [TransferMetrics] {
    (formerMetrics + (last.metrics.map { [$0] } ?? [])).suffix(Self.metricsLimit)
  }

  /// Begins an exchange.
  ///
  /// - Parameter isSent: whether something is sent to a server; otherwise an interceptor made the response.
  mutating func begin(_ exchange: LastExchange, isSent: Bool) {
    keepMetrics()
    last = exchange
    formerOutcome = nil
    if isSent { tunnel = nil }
  }

  /// Stores the final head of the last exchange, and what layers and interceptors state about the response.
  mutating func accept(_ head: HTTPResponse, _ attributes: ResponseAttributes = ResponseAttributes()) {
    last.head = head
    last.attributes = attributes
  }

  /// Stores the metrics of the last exchange; metrics that it already has move to the former ones.
  mutating func end(_ metrics: TransferMetrics) {
    keepMetrics()
    last.metrics = metrics
  }

  /// Appends the metrics of the last exchange to `formerMetrics`.
  private mutating func keepMetrics() {
    guard let metrics = last.metrics.take() else { return }
    formerMetrics.append(metrics)
    if formerMetrics.count > Self.metricsLimit { formerMetrics.removeFirst() }
  }

  /// Keeps the outcome of an attempt that is retried.
  ///
  /// If the attempt sent nothing, the response kept before stays.
  mutating func keep(_ outcome: RequestOutcome) {
    var outcome = outcome
    if let formerOutcome { outcome.follow(formerOutcome, keepingResponse: true) }
    formerOutcome = outcome
  }
}

/// The last exchange that a request began.
///
/// The request's state owns it. The head is stored when it is accepted, even if the request fails later.
struct LastExchange: Sendable {
  /// The request as it was sent; `nil` if none was sent.
  var request: OutgoingRequest?
  /// The final head; `nil` until one has been accepted.
  var head: HTTPResponse?
  /// The metrics of the exchange; `nil` until it has ended, or if the transport did not measure it.
  var metrics: TransferMetrics?
  /// The attributes that layers and interceptors have set.
  var attributes = ResponseAttributes()

  init(request: OutgoingRequest? = nil, head: HTTPResponse? = nil, metrics: TransferMetrics? = nil) {
    self.request = request
    self.head = head
    self.metrics = metrics
  }
}
