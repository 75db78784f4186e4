import LupineCore

/// The bytes of the server's response that continue a stored beginning.
struct RemainingBytes: AsyncSequence, Sendable {
  typealias Element = [UInt8]

  private let source: Source
  private let count: Int64?
  private let skipped: Int64
  private let onMismatch: @Sendable () async -> Void

  /// - Parameters:
  ///   - branch: the exchange of the body, which is cancelled if the consumer stops before the last byte.
  ///   - count: the number of bytes that the server's head states; `nil` if it does not.
  ///   - skipped: the number of bytes before them, which are dropped. Default: 0.
  ///   - onMismatch: called if the body has fewer or more. Default: does nothing.
  init(
    _ body: ResponseBody, _ branch: ExchangeControl, count: Int64?, after skipped: Int64 = 0,
    onMismatch: @escaping @Sendable () async -> Void = {}
  ) {
    source = Source(body, branch)
    self.count = count
    self.skipped = skipped
    self.onMismatch = onMismatch
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(source: source, left: count.map { $0 + skipped }, skipped: skipped, onMismatch: onMismatch)
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: Source
    /// The number of bytes that are still to come.
    fileprivate var left: Int64?
    /// The number of those that are dropped.
    fileprivate var skipped: Int64
    fileprivate let onMismatch: @Sendable () async -> Void

    mutating func next() async throws -> [UInt8]? {
      while true {
        let bytes = try await source.next()
        left? -= Int64(bytes?.count ?? 0)
        guard left ?? 0 >= 0, bytes != nil || left ?? 0 == 0 && skipped == 0 else {
          await onMismatch()
          throw LupineError(
            .malformedResponse,
            "The rest of the response has another number of bytes than the server's head states; request it again.")
        }
        guard let bytes, skipped > 0 else { return bytes }
        let dropped = Swift.min(skipped, Int64(bytes.count))
        skipped -= dropped
        if dropped < bytes.count { return Array(bytes.dropFirst(Int(dropped))) }
      }
    }
  }

  /// The body, whose exchange ends with the last reference.
  fileprivate final class Source: Sendable {
    private let body: ResponseBody
    private let branch: ExchangeControl

    init(_ body: ResponseBody, _ branch: ExchangeControl) {
      self.body = body
      self.branch = branch
    }

    // Has no effect after the end.
    deinit { cancel() }

    func next() async throws -> [UInt8]? {
      try await withTaskCancellationHandler {
        try await body.next()
      } onCancel: {
        cancel()
      }
    }

    private func cancel() { branch.cancel(LupineError(.cancelled, "The rest of the response is not needed any more.")) }
  }
}
