import FoundationEssentials
import HTTPTypes
import LupineCore
import Synchronization

/// The ends of responses that are refused at their head.
extension ExchangeLoop {
  /// Ends a response whose body has not been handed over.
  ///
  /// - Parameter limit: how many bytes of the body are read first. Default: none.
  /// - Returns: the reason for it, with those bytes and with what the exchange cost.
  func refused(
    _ response: TransportResponse, _ control: ExchangeControl?, _ reason: LupineError, reading limit: Int64 = 0
  ) async -> LupineError {
    let (bytes, isWhole) = await excerpt(of: response.body, control, limit: Int(clamping: limit))
    if !isWhole {
      control?.cancel(reason)
      response.body.abandon()
    }
    let reason = reason.carrying(bytes, limit: limit)
    do throws(LupineError) {
      return reason.measured(try await response.body.end().metrics)
    } catch {
      return error.metrics.map { reason.measured($0) } ?? reason
    }
  }

  /// Reads the first bytes of a body, as far as they come; tells as well whether they are all of it.
  ///
  /// What ends the exchange ends the reading: a cancellation, a deadline, and the idle timeout, which bounds the reading as a
  /// whole as well. So a server that sends a byte now and then does not hold up the error.
  private func excerpt(
    of body: ResponseBody, _ control: ExchangeControl?, limit: Int
  ) async -> (bytes: Data, isWhole: Bool) {
    var bytes = Data()
    guard limit > 0, let control else { return (bytes, false) }
    let alarm = session.clock.schedule(readingTime) {
      control.cancel(LupineError(.timedOut(.idle), "The body of a refused response took too long."))
    }
    defer { alarm.cancel() }
    do throws(LupineError) {
      while bytes.count < limit {
        guard let piece = try await body.next() else { return (bytes, true) }
        bytes.append(contentsOf: piece.prefix(limit - bytes.count))
      }
    } catch {
      // What has come is kept, and the refusal tells more than this.
    }
    return (bytes, false)
  }

  /// The request's idle timeout, or the default one if the request has none.
  private var readingTime: Duration {
    let timeouts = task.state.withLock { $0.changedTimeouts } ?? task.timeouts
    return timeouts.idle ?? Timeouts().idle ?? .seconds(60)
  }
}

/// The requests that are sent again below the attempt: no retrier is asked, since sending them again is safe.
extension ExchangeLoop {
  /// How often the requests of one attempt are sent again.
  static let mostResends = 3

  /// Returns if the request may be sent again, after it has emitted `resending`; throws otherwise.
  ///
  /// - Parameters:
  ///   - count: how often requests have been sent again already.
  /// - Throws: the error, where the request is not to be sent again.
  func resend(_ request: OutgoingRequest, after error: LupineError, _ count: Int) throws(LupineError) {
    guard let reason = reason(toResend: request, after: error), task.state.withLock({ $0.cancellation }) == nil else {
      throw error
    }
    guard request.body.isRetryable else {
      throw error.noting("It was not sent again: the request's body can be sent only once.")
    }
    guard count < Self.mostResends else {
      throw error.noting("It was sent again \(count) times.")
    }
    task.emit(.resending(after: error.about(request.summary), reason: reason), attempt: number)
  }

  /// Why a request may be sent again: the server has not acted on it, whatever the method, or the method allows it and
  /// the server may just have closed the kept connection (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1).
  private func reason(toResend request: OutgoingRequest, after error: LupineError) -> String? {
    if error.isUnprocessed { return "the server has not processed the request" }
    guard error.kind == .connectionLost, request.isIdempotent, let metrics = error.metrics, metrics.isConnectionReused,
      metrics.firstByte == nil
    else { return nil }
    return "a kept connection was lost before the response began"
  }
}

extension ExchangeLoop {
  /// How the body ended; a page that nobody wants, and that is longer than such a page may be, counts as none, so that its
  /// status is what the request ends with.
  func end(of response: TransportResponse) async throws(LupineError) -> BodyEnd {
    do throws(LupineError) {
      return try await response.body.end()
    } catch {
      guard Self.isTooLong(error.kind), task.consumer?.canSpareBody(of: response.head) == true else { throw error }
      task.consumer?.spared(response.body.gathered(limit: configuration.limits.errorBody))
      let metrics = error.metrics ?? TransferMetrics()
      return BodyEnd(data: Data(), byteCount: metrics.bytesReceived, trailers: nil, metrics: metrics)
    }
  }

  private static func isTooLong(_ kind: LupineError.Kind) -> Bool {
    switch kind {
    case .limitExceeded(.responseBody), .limitExceeded(.decodedBodySize), .limitExceeded(.decodingRatio): true
    default: false
    }
  }
}
