import LupineCore
import Synchronization

/// An observer that records the bytes and the end of a body.
final class BodyRecorder: BodyObserver {
  struct Refusal: Error {}

  private struct State {
    var bytes: [UInt8] = []
    var results: [Result<BodyEnd, LupineError>] = []
  }

  private let state = Mutex(State())
  private let most: Int
  private let flag = Flag()
  private let onBytes: @Sendable () -> Void

  /// - Parameters:
  ///   - most: the number of bytes after which the recorder throws.
  ///   - onBytes: called with each piece, before it is kept.
  init(failingAfter most: Int = .max, onBytes: @escaping @Sendable () -> Void = {}) {
    self.most = most
    self.onBytes = onBytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    onBytes()
    let count = state.withLock { state in
      state.bytes += bytes
      return state.bytes.count
    }
    if count > most { throw Refusal() }
  }

  func end(_ result: Result<BodyEnd, LupineError>) {
    state.withLock { $0.results.append(result) }
    flag.raise()
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  /// The results that the observer received; a body reports exactly one.
  var results: [Result<BodyEnd, LupineError>] { state.withLock { $0.results } }
  /// The end of the body, if it ended once and without an error.
  var end: BodyEnd? { results.count == 1 ? try? results[0].get() : nil }

  /// Waits for the end, and returns the error.
  func failure() async -> LupineError? {
    await flag.raised()
    guard results.count == 1, case .failure(let error) = results[0] else { return nil }
    return error
  }
}

/// A layer that observes the body of every exchange.
struct TeeingLayer: ExchangeLayer {
  let make: @Sendable () -> BodyRecorder
  let recorders: Notes<BodyRecorder>

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let response = try await next(request, in: context)
    let recorder = make()
    recorders.add(recorder)
    response.body.tee(into: recorder)
    return response
  }
}
