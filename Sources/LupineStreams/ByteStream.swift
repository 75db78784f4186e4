public import HTTPTypes
public import LupineCore
import LupineSession

/// A response's body in the pieces in which it arrives, after decoding.
///
/// It can be iterated once, as the body has one consumer; who comes second gets an error.
public struct ByteStream: AsyncSequence, Sendable {
  /// One piece; never empty.
  public typealias Element = [UInt8]

  private let readers: StreamReaders
  private let limit: Int64?
  private let hasTaken: Bool

  /// - Parameter hasTaken: whether the body has been taken for this reader.
  init(_ readers: StreamReaders, limit: Int64? = nil, hasTaken: Bool = false) {
    self.readers = readers
    self.limit = limit
    self.hasTaken = hasTaken
  }

  /// The head of the response; waits until it has arrived and been validated, and starts the request for it.
  ///
  /// The body waits to be read as long as this sequence, another of its request, or the request is held; then the request
  /// is cancelled.
  ///
  /// - Throws: `LupineError` where there is none, or a validator refused it.
  public var head: HTTPResponse {
    get async throws(LupineError) {
      let (task, consumer) = (readers.task, readers.consumer)
      task.startForStream()
      let opening = await withTaskCancellationHandler {
        await consumer.opening()
      } onCancel: {
        task.cancel()
      }
      try opening.get()
      guard let head = consumer.head else { throw LupineError(.other, "The response has no head.") }
      return head
    }
  }

  /// Begins to read; the request starts with the first piece that is asked for.
  public func makeAsyncIterator() -> Iterator {
    let isFree = hasTaken || readers.consumer.take()
    return Iterator(isFree ? Reading(readers.task, readers.consumer) : nil, limit: limit)
  }

  /// Reads the pieces in order.
  public struct Iterator: AsyncIteratorProtocol {
    /// `nil` where another reads the body.
    private let reading: Reading?
    private let limit: Int64?
    private var count: Int64 = 0

    init(_ reading: Reading?, limit: Int64?) {
      self.reading = reading
      self.limit = limit
    }

    /// The next piece; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the request failed or was cancelled; what arrived before it has been handed over.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> [UInt8]? {
      guard let reading else { throw .streamIsTaken }
      guard let piece = try await reading.next() else { return nil }
      count += Int64(piece.count)
      if let limit, count > limit {
        throw await end(
          with: LupineError(
            .limitExceeded(.sink), "The stream is longer than \(limit) bytes, the limit sink it was given."))
      }
      return piece
    }

    /// Ends the request, whose body is not what its reader takes; returns the error with what the request knows.
    func end(with error: LupineError) async -> LupineError { await reading?.end(with: error) ?? error }
  }
}
