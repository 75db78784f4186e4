import CLibcurl
import LupineCore

/// The moments of an exchange, from which its metrics are made.
struct ExchangeClock {
  private let entered: UInt64
  /// Since when the exchange has waited its turn.
  private let waited: UInt64
  private var started: UInt64?
  /// Since when libcurl counts: when it took over, or where another address was tried after it.
  private var counted: UInt64?
  /// Whether the exchange has a connection that was used before; `nil` without one.
  var isReused: Bool?
  private var requestSent: UInt64?
  /// When the response began.
  private var answered: UInt64?

  /// - Parameter lookup: what came before the exchange waited its turn.
  init(after lookup: NameLookup? = nil, at now: UInt64 = Moment.now) {
    entered = lookup?.began ?? now
    waited = lookup?.ended ?? now
  }

  /// Notes that libcurl takes over.
  ///
  /// - Parameter turn: until when the exchange has waited its turn. What came between, such as the reading of root
  ///   certificates, is no part of what libcurl counts.
  mutating func start(turn: UInt64, at now: UInt64) {
    started = turn
    counted = now
  }

  /// Notes that libcurl begins anew, with another address.
  mutating func startAgain(at now: UInt64) { counted = now }

  /// What is left of the time to connect, for another address; nothing or less where it is over.
  func rest(of timeout: Duration, at now: UInt64) -> Duration {
    timeout - .nanoseconds(Int64(started.map { now - $0 } ?? 0))
  }

  /// Notes that the request is out to its end.
  mutating func sent(at now: UInt64) { if requestSent == nil { requestSent = now } }

  /// Whether the response has begun.
  var isAnswered: Bool { answered != nil }

  /// Notes that the response has begun.
  mutating func receive(at now: UInt64) { answered = now }

  /// Forgets a response that was not the last.
  mutating func receiveAgain() { answered = nil }

  /// Until libcurl had resolved the name of the host, or of the proxy; `nil` before.
  func nameLookup(_ easy: Easy) -> Duration? {
    counted.flatMap { time(CURLINFO_NAMELOOKUP_TIME_T, easy, $0) }
  }

  /// The metrics of an exchange that libcurl has not in hand.
  func metrics(_ lookup: NameLookup?, at now: UInt64) -> TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = since(now)
    metrics.nameLookup = lookup?.time
    return metrics
  }

  /// The metrics as far as the exchange has got.
  func metrics(
    _ easy: Easy, _ lookup: NameLookup?, sent: Int64, received: Int64, address: String?, tls: TLSDetails?,
    at now: UInt64
  ) -> TransferMetrics {
    guard let started, let counted else { return metrics(lookup, at: now) }
    var metrics = TransferMetrics(
      total: since(now),
      // Less is the way from the caller to the loop.
      queued: started - waited >= 1_000_000 ? since(started) : nil,
      requestSent: requestSent.map(since),
      firstByte: answered.map(since),
      // libcurl counts the frame of chunks as well, and we what it has taken but perhaps not sent.
      bytesSent: sent > 0 ? min(sent, easy.size(CURLINFO_SIZE_UPLOAD_T)) : 0,
      bytesReceived: received, remoteAddress: address,
      version: easy.headReader.line?.version, isConnectionReused: isReused ?? false, tls: tls)
    if let lookup { metrics.nameLookup = lookup.time }
    guard isReused != true else { return metrics }
    if lookup == nil { metrics.nameLookup = time(CURLINFO_NAMELOOKUP_TIME_T, easy, counted) }
    metrics.connect = time(CURLINFO_CONNECT_TIME_T, easy, counted)
    metrics.secureConnect = time(CURLINFO_APPCONNECT_TIME_T, easy, counted)
    return metrics
  }

  private func since(_ moment: UInt64) -> Duration { .nanoseconds(Int64(moment - entered)) }

  /// libcurl's zero means that the step did not happen.
  private func time(_ info: CURLINFO, _ easy: Easy, _ counted: UInt64) -> Duration? {
    let microseconds = easy.size(info)
    return microseconds == 0 ? nil : .nanoseconds(Int64(counted - entered)) + .microseconds(microseconds)
  }
}
