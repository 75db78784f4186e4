import CLibcurl
import LupineCore

/// The points in time of an exchange, from which its metrics are computed.
struct ExchangeClock {
  private let entered: UInt64
  /// When the exchange began to wait for its start.
  private let waited: UInt64
  private var started: UInt64?
  /// The start of libcurl's own measurements: when the transfer started or last restarted.
  private var counted: UInt64?
  /// Whether the exchange has a reused connection; `nil` without a connection.
  var isReused: Bool?
  private var requestSent: UInt64?
  /// When the response began.
  private var answered: UInt64?

  /// - Parameter lookup: the name lookup that preceded the exchange's wait.
  init(after lookup: NameLookup? = nil, at now: UInt64 = Moment.now) {
    entered = lookup?.began ?? now
    waited = lookup?.ended ?? now
  }

  /// Records the start of the transfer.
  ///
  /// - Parameter turn: the end of the exchange's wait. Work between `turn` and `now`, such as reading root
  ///   certificates, is not part of libcurl's measurements.
  mutating func start(turn: UInt64, at now: UInt64) {
    started = turn
    counted = now
  }

  /// Records a restart of the transfer.
  mutating func startAgain(at now: UInt64) { counted = now }

  /// Returns the remaining connect timeout; zero or less if it has elapsed.
  func rest(of timeout: Duration, at now: UInt64) -> Duration {
    timeout - .nanoseconds(Int64(started.map { now - $0 } ?? 0))
  }

  /// Records that the request has been sent completely.
  mutating func sent(at now: UInt64) { if requestSent == nil { requestSent = now } }

  /// Whether the response has begun.
  var isAnswered: Bool { answered != nil }

  /// Records the start of the response.
  mutating func receive(at now: UInt64) { answered = now }

  /// Clears the start of a response that was not the last one.
  mutating func receiveAgain() { answered = nil }

  /// The time until libcurl had resolved the name of the host or of the proxy; `nil` before that.
  func nameLookup(_ handle: borrowing EasyHandle) -> Duration? {
    guard let counted else { return nil }
    return time(CURLINFO_NAMELOOKUP_TIME_T, handle, counted)
  }

  /// The metrics of an exchange that libcurl does not process.
  func metrics(_ lookup: NameLookup?, at now: UInt64) -> TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = since(now)
    metrics.nameLookup = lookup?.time
    return metrics
  }

  /// The metrics of the exchange so far.
  func metrics(
    _ handle: borrowing EasyHandle, _ lookup: NameLookup?, sent: Int64, received: Int64, address: String?,
    version: ProtocolVersion?, tls: TLSDetails?, at now: UInt64
  ) -> TransferMetrics {
    guard let started, let counted else { return metrics(lookup, at: now) }
    var metrics = TransferMetrics(
      total: since(now),
      // A shorter time is the transfer from the caller's thread to the loop, not a wait.
      queued: started - waited >= 1_000_000 ? since(started) : nil,
      requestSent: requestSent.map(since),
      firstByte: answered.map(since),
      // libcurl's count includes the chunk framing; `sent` includes bytes that libcurl has read but may not have sent.
      bytesSent: sent > 0 ? min(sent, handle.size(CURLINFO_SIZE_UPLOAD_T)) : 0,
      bytesReceived: received, remoteAddress: address,
      version: version, isConnectionReused: isReused ?? false, tls: tls)
    if let lookup { metrics.nameLookup = lookup.time }
    guard isReused != true else { return metrics }
    if lookup == nil { metrics.nameLookup = time(CURLINFO_NAMELOOKUP_TIME_T, handle, counted) }
    metrics.connect = time(CURLINFO_CONNECT_TIME_T, handle, counted)
    metrics.secureConnect = time(CURLINFO_APPCONNECT_TIME_T, handle, counted)
    return metrics
  }

  private func since(_ moment: UInt64) -> Duration { .nanoseconds(Int64(moment - entered)) }

  /// Returns the time of a step; `nil` for 0, with which libcurl reports a step that did not happen.
  private func time(_ info: CURLINFO, _ handle: borrowing EasyHandle, _ counted: UInt64) -> Duration? {
    let microseconds = handle.size(info)
    return microseconds == 0 ? nil : .nanoseconds(Int64(counted - entered)) + .microseconds(microseconds)
  }
}
