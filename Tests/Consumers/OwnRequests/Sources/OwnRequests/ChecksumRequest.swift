import Foundation
import Lupine
import Synchronization

/// A request that computes the Adler-32 checksum of a response while it arrives, and stores none of it.
struct ChecksumRequest: SessionRequest {
  let execution: RequestExecution
  private let handler: ChecksumHandler

  init(_ session: Session, _ request: () throws -> OutgoingRequest) {
    handler = ChecksumHandler()
    execution = session.makeExecution(handler: handler, request: request)
  }

  /// The head and the checksum; starts the request, and cancels it with the caller's task.
  var value: Checksum {
    get async throws(LupineError) { try handler.result(of: await execution.outcome()).get() }
  }

  /// Calls the handler with the head and the checksum, or with the error.
  @discardableResult
  func responseChecksum(_ completion: @escaping @Sendable (Result<Checksum, LupineError>) -> Void) -> Self {
    execution.addCompletionHandler { [handler] _, outcome in completion(handler.result(of: outcome)) }
    return self
  }
}

extension Session {
  /// Makes a request for the checksum of a response.
  func checksum(_ url: some URLConvertible, parameters: Parameters? = nil) -> ChecksumRequest {
    ChecksumRequest(self) { try makeOutgoingRequest(url, parameters: parameters) }
  }
}

/// The value of a `ChecksumRequest`.
struct Checksum: Sendable {
  let head: HTTPResponse
  let value: UInt32
}

/// Sends the body of each successful response through a new `ChecksumStage`.
final class ChecksumHandler: ResponseHandler {
  private let stage = Mutex<ChecksumStage?>(nil)

  func decide(
    _ response: TransportResponse, to request: OutgoingRequest, in session: Session
  ) async throws(LupineError) -> ResponseDecision {
    let isSuccessful = response.head.status.kind == .successful
    let stage = isSuccessful ? ChecksumStage() : nil
    self.stage.withLock { $0 = stage }
    // The first bytes of another response go to memory, for the error of a validator.
    let sink = BodySink(.collect(limit: session.limits.errorBody), stages: stage.map { [$0] } ?? [])
    return ResponseDecision(.receive(sink, offset: 0), acceptsLongBody: !isSuccessful)
  }

  func result(of outcome: RequestOutcome) -> Result<Checksum, LupineError> {
    if let error = outcome.error { return .failure(error) }
    guard let head = outcome.head, let stage = stage.withLock({ $0 }) else {
      return .failure(LupineError(.emptyResponse, "The response has no content whose checksum could be computed."))
    }
    return .success(Checksum(head: head, value: stage.checksum))
  }
}

/// Computes a checksum of the bytes that pass, and passes none of them on.
final class ChecksumStage: BodyTransformer {
  private let sums = Mutex<(low: UInt32, high: UInt32)>((1, 0))

  var checksum: UInt32 { sums.withLock { $0.high << 16 | $0.low } }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) {
    sums.withLock { sums in
      for byte in input {
        sums.low = (sums.low + UInt32(byte)) % 65_521
        sums.high = (sums.high + sums.low) % 65_521
      }
    }
  }

  func finish(into output: Output) throws(LupineError) {}
}
