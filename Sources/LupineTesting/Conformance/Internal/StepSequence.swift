/// Yields the content of steps, and performs their waits and signals.
struct StepSequence: AsyncSequence, Sendable {
  private let steps: [PeerResponse.Step]
  private let failure: (any Error)?

  /// - Parameter failure: the error after the last step; `nil` ends the sequence without an error.
  init(_ steps: [PeerResponse.Step], failure: (any Error)? = nil) {
    self.steps = steps
    self.failure = failure
  }

  func makeAsyncIterator() -> Iterator { Iterator(steps: steps[...], failure: failure) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var steps: ArraySlice<PeerResponse.Step>
    fileprivate let failure: (any Error)?

    mutating func next() async throws -> [UInt8]? {
      while let step = steps.popFirst() {
        switch step {
        case .bytes(let bytes): return bytes
        case .repeated(let bytes, let count):
          guard count > 0 else { continue }
          steps = [.repeated(bytes, count: count - 1)] + steps
          return bytes
        case .wait(let gate): try await gate.opened()
        case .signal(let gate): gate.open()
        }
      }
      if let failure { throw failure }
      return nil
    }
  }
}
