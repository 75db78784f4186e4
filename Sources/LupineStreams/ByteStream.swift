public import HTTPTypes
public import LupineCore
import LupineSession

/// A response's body in the pieces in which it arrives, after decoding.
///
/// The sequence can be iterated once, because the body has one consumer. A second iteration throws an error.
public struct ByteStream: AsyncSequence, Sendable {
  /// One piece; never empty.
  public typealias Element = [UInt8]

  private let readers: StreamReaders
  private let limit: Int64?
  private let hasTaken: Bool

  /// - Parameter hasTaken: whether the body is already reserved for this sequence.
  init(_ readers: StreamReaders, limit: Int64? = nil, hasTaken: Bool = false) {
    self.readers = readers
    self.limit = limit
    self.hasTaken = hasTaken
  }

  /// The head of the response, after validation; reading this property starts the request.
  ///
  /// The body stays available while the program keeps the request, this sequence or another sequence of the request.
  /// When the last of them is released, the request is cancelled.
  ///
  /// - Throws: `LupineError` if no head arrives or a validator refuses the response.
  public var head: HTTPResponse {
    get async throws(LupineError) {
      let (execution, response) = (readers.execution, readers.consumer.response)
      execution.start()
      let opening = await withTaskCancellationHandler {
        await response.opening()
      } onCancel: {
        execution.cancel()
      }
      return try opening.get()
    }
  }

  /// Returns the iterator; the request starts when the first piece is read.
  public func makeAsyncIterator() -> Iterator {
    let isFree = hasTaken || readers.consumer.take()
    return Iterator(isFree ? Reading(readers.execution, readers.consumer.response) : nil, limit: limit)
  }

  /// Reads the pieces in order.
  public struct Iterator: AsyncIteratorProtocol {
    /// `nil` if another consumer reads the body.
    private let reading: Reading?
    private let limit: Int64?
    private var count: Int64 = 0

    init(_ reading: Reading?, limit: Int64?) {
      self.reading = reading
      self.limit = limit
    }

    /// The next piece; `nil` at the end.
    ///
    /// - Throws: `LupineError` if the request fails or is cancelled. Pieces that arrived before the error are returned
    ///   first.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> [UInt8]? {
      guard let reading else { throw .streamIsTaken }
      guard let piece = try await reading.next() else { return nil }
      count += Int64(piece.count)
      if let limit, count > limit {
        throw await end(
          with: LupineError(
            .limitExceeded(.sink), "The stream is longer than its limit of \(limit) bytes (limit sink)."))
      }
      return piece
    }

    /// The `Content-Type` field of the response; an empty text if there is none.
    var contentType: String { reading?.contentType ?? "" }

    /// Ends the request because its body is invalid; returns the error with the details of the request.
    func end(with error: LupineError) async -> LupineError { await reading?.end(with: error) ?? error }
  }
}
