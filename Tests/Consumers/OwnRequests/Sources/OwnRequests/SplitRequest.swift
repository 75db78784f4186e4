import Foundation
import Lupine
import Synchronization

/// A request that delivers its response at the head, and whose reader can end it after any part.
///
/// The handler is a `StreamedResponseHandler`, as that of `DataStreamRequest` is.
struct SplitRequest: SessionRequest {
  let execution: RequestExecution
  private let handler: SplitHandler

  init(_ session: Session, _ url: some URLConvertible) {
    handler = SplitHandler()
    execution = session.makeExecution(handler: handler) { try session.makeOutgoingRequest(url) }
  }

  /// Calls the handler with the text up to each occurrence of the separator.
  ///
  /// `finishRequests()` waits for the calls.
  func responseParts(_ separator: UInt8, _ call: @escaping @Sendable (Result<String, LupineError>) -> Void) {
    execution.session.deliver { [execution, handler] in
      execution.start()
      do throws(LupineError) {
        let body = try await handler.body()
        var rest: [UInt8] = []
        while let piece = try await body.next() {
          rest += piece
          while let end = rest.firstIndex(of: separator) {
            if let reason = execution.cancellation { throw reason }
            call(.success(String(decoding: rest[..<end], as: UTF8.self)))
            rest.removeSubrange(...end)
          }
          try await execution.waitWhileSuspended()
        }
        guard rest.isEmpty else {
          throw await execution.end(with: LupineError(.malformedResponse, "The last part has no end."))
        }
      } catch {
        handler.abandon()
        call(.failure(execution.cancellation ?? error))
      }
    }
  }
}

/// Keeps the body of a validated response until the reader takes it.
final class SplitHandler: StreamedResponseHandler {
  private let opening = AsyncStream.makeStream(of: Result<ResponseBody, LupineError>.self)

  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in session: Session
  ) async throws(LupineError) -> ResponseDecision {
    ResponseDecision(.receive(.stream(window: 64 << 10), offset: 0))
  }

  func handOver(_ response: TransportResponse) { opening.continuation.yield(.success(response.body)) }

  func conclude(_ outcome: RequestOutcome) async -> RequestOutcome {
    if let error = outcome.error { opening.continuation.yield(.failure(error)) }
    opening.continuation.finish()
    return outcome
  }

  /// Waits until the body can be read, or until the request has failed; for one caller.
  func body() async throws(LupineError) -> ResponseBody {
    for await result in opening.stream {
      let body = try result.get()
      taken.withLock { $0 = body }
      return body
    }
    throw LupineError(.other, "The response has a reader already.")
  }

  private let taken = Mutex<ResponseBody?>(nil)

  /// Drops the rest of the body, so that the request does not wait for a reader.
  func abandon() { taken.withLock { $0 }?.abandon() }
}
