import FoundationEssentials
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
