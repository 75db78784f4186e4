public import LupineCore
import Synchronization

/// A serializer of a request, and its result in the last attempt; `RequestExecution.addSerializer(_:)` makes it.
///
/// If the retriers decide about its failure, the serializer runs before the request ends, once for each attempt, and
/// the result of the last attempt is kept. It does not retain the request.
public final class PendingSerialization<Value: Sendable>: RetriableSerializer {
  typealias Kept = (result: Result<Value, LupineError>, duration: Duration)

  private let serializer: any ResponseSerializer<Value>
  private let kept = Mutex<Kept?>(nil)

  init(_ serializer: any ResponseSerializer<Value>) { self.serializer = serializer }

  func serialize(
    _ outcome: RequestOutcome, loadFailure: LupineError?, of execution: RequestExecution
  ) -> LupineError? {
    let new = Serialization.measured(outcome, loadFailure: loadFailure, of: execution, serializer)
    kept.withLock { $0 = new }
    return if case .failure(let error) = new.result { error } else { nil }
  }

  func discardResult() { _ = removed() }

  func explainFailure(_ explanation: String) {
    kept.withLock { kept in
      guard case .failure(let error) = kept?.result else { return }
      kept?.result = .failure(error.appending(explanation))
    }
  }

  /// Returns the value or the error of an outcome, and the time that the serializer took.
  ///
  /// The result that was kept is returned once. If there is none, the serializer runs, off the caller's actor, as with
  /// `RequestExecution.serialize(_:with:)`.
  @concurrent
  public func result(
    of outcome: RequestOutcome, in execution: RequestExecution
  ) async -> (result: Result<Value, LupineError>, duration: Duration) {
    if let known = takeResult(of: outcome) { return known }
    return await Serialization.loadedAndMeasured(outcome, of: execution, serializer)
  }

  /// Removes and returns the result of the last attempt; `nil` if there is none.
  ///
  /// A request that failed for another reason has that error as its result.
  func takeResult(of outcome: RequestOutcome) -> Kept? { outcome.error == nil ? removed() : nil }

  /// Removes and returns the result; a value is released outside the lock, because its `deinit` may be the program's.
  private func removed() -> Kept? { kept.withLock { $0.take() } }
}

extension RequestExecution {
  /// Adds a serializer of the response, for a handler or for an awaited value of a request type.
  ///
  /// If a retrier of the request decides about serializers and the response has not arrived yet, the serializer runs
  /// before the request ends, and the retriers decide about its failure. Otherwise, and if the body is handed over at
  /// its head, it runs when the result is read, and no retrier decides. A serializer that names no decoder uses the
  /// session's.
  public func addSerializer<Serializer: ResponseSerializer>(
    _ serializer: Serializer
  ) -> PendingSerialization<Serializer.Output> {
    let serialization = PendingSerialization(SessionBoundSerializer(serializer, session.decodingDefaults))
    if mayRetrySerialization { _ = state.withLock { $0.add(serialization) } }
    return serialization
  }

  /// Adds a serializer whose failure the retriers decide about.
  ///
  /// - Returns: `nil` if no retrier decides, if the request has ended, or if the body is handed over at its head; the
  ///   serializer then runs after the request.
  @inline(__always)  // Avoids a generic call in the common case.
  func addRetriableSerializer<Value>(_ serializer: any ResponseSerializer<Value>) -> PendingSerialization<Value>? {
    mayRetrySerialization ? pending(serializer) : nil
  }

  /// Whether a retrier decides about failures of serializers, and the body is not handed over at its head.
  var mayRetrySerialization: Bool {
    !handsOverAtHead && (session.retriesSerializers || retriesSerializers.load(ordering: .acquiring))
  }

  private func pending<Value>(_ serializer: any ResponseSerializer<Value>) -> PendingSerialization<Value>? {
    let serialization = PendingSerialization(serializer)
    return state.withLock { $0.add(serialization) } ? serialization : nil
  }
}
