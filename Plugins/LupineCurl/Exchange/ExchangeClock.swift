import CLibcurl
import LupineCore
import LupineEventLoop
import LupineSupport

/// The points in time of an exchange, from which its metrics are computed.
struct ExchangeClock {
  private let entered: UInt64
  /// When the exchange began to wait for its start.
  private let waitStarted: UInt64
  private var started: UInt64?
  /// The start of libcurl's own measurements: when the transfer started or last restarted.
  private var libcurlStarted: UInt64?
  /// Whether the exchange has a reused connection; `nil` without a connection.
  var isReused: Bool?
  private var requestSent: UInt64?
  /// When the response began.
  private var responseStarted: UInt64?

  /// - Parameter lookup: the name lookup that preceded the exchange's wait.
  init(after lookup: ResolvedTarget.Lookup? = nil, at now: UInt64 = MonotonicClock.now) {
    entered = lookup?.began ?? now
    waitStarted = lookup?.ended ?? now
  }

  /// Records the start of the transfer.
  ///
  /// - Parameter turn: the end of the exchange's wait. Work between `turn` and `now`, such as reading root
  ///   certificates, is not part of libcurl's measurements.
  mutating func start(turn: UInt64, at now: UInt64) {
    started = turn
    libcurlStarted = now
  }

  /// Records a restart of the transfer.
  mutating func restart(at now: UInt64) { libcurlStarted = now }

  /// Returns the remaining connect timeout; zero or less if it has elapsed.
  func remaining(of timeout: Duration, at now: UInt64) -> Duration {
    timeout.bounded - .nanoseconds(Int64(started.map { now - $0 } ?? 0))
  }

  /// Records that the request has been sent completely.
  mutating func recordSent(at now: UInt64) { if requestSent == nil { requestSent = now } }

  /// Whether the response has begun.
  var hasResponse: Bool { responseStarted != nil }

  /// Records the start of the response.
  mutating func recordResponse(at now: UInt64) { responseStarted = now }

  /// Clears the start of a response that was not the last one.
  mutating func clearResponse() { responseStarted = nil }

  /// The time until libcurl had resolved the name of the host or of the proxy; `nil` before that.
  func nameLookup(_ handle: borrowing EasyHandle) -> Duration? {
    guard let libcurlStarted else { return nil }
    return time(CURLINFO_NAMELOOKUP_TIME_T, handle, libcurlStarted)
  }

  /// The metrics of an exchange that libcurl does not process.
  func metrics(_ lookup: ResolvedTarget.Lookup?, at now: UInt64) -> TransferMetrics {
    var metrics = TransferMetrics()
    metrics.total = since(now)
    metrics.nameLookup = lookup?.time
    return metrics
  }

  /// The metrics of the exchange so far.
  func metrics(
    _ handle: borrowing EasyHandle, _ lookup: ResolvedTarget.Lookup?, sent: Int64, received: Int64, address: String?,
    version: ProtocolVersion?, tls: TLSDetails?, at now: UInt64
  ) -> TransferMetrics {
    guard let started, let libcurlStarted else { return metrics(lookup, at: now) }
    let isNew = isReused != true
    return TransferMetrics(
      total: since(now),
      // A shorter time is the transfer from the caller's thread to the loop, not a wait.
      queued: started - waitStarted >= 1_000_000 ? since(started) : nil,
      nameLookup: lookup.map(\.time) ?? (isNew ? time(CURLINFO_NAMELOOKUP_TIME_T, handle, libcurlStarted) : nil),
      connect: isNew ? time(CURLINFO_CONNECT_TIME_T, handle, libcurlStarted) : nil,
      secureConnect: isNew ? time(CURLINFO_APPCONNECT_TIME_T, handle, libcurlStarted) : nil,
      requestSent: requestSent.map(since),
      firstByte: responseStarted.map(since),
      // libcurl's count includes the chunk framing; `sent` includes bytes that libcurl has read but may not have sent.
      bytesSent: sent > 0 ? min(sent, handle.size(CURLINFO_SIZE_UPLOAD_T)) : 0,
      bytesReceived: received, remoteAddress: address,
      version: version, isConnectionReused: isReused ?? false, tls: tls)
  }

  private func since(_ moment: UInt64) -> Duration { .nanoseconds(Int64(moment - entered)) }

  /// Returns the time of a step; `nil` for 0, with which libcurl reports a step that did not happen.
  private func time(_ info: CURLINFO, _ handle: borrowing EasyHandle, _ libcurlStarted: UInt64) -> Duration? {
    let microseconds = handle.size(info)
    return microseconds == 0 ? nil : .nanoseconds(Int64(libcurlStarted - entered)) + .microseconds(microseconds)
  }
}
