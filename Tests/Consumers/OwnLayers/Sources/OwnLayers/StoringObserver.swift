import Foundation
import Lupine

/// Passes the bytes of a response to the task that stores them, without waiting for the store.
final class StoringObserver: BodyObserver {
  enum Piece: Sendable {
    case bytes(Data)
    /// The response is complete.
    case end(HTTPFields?)
  }

  struct TooSlow: Error {}

  let pieces: AsyncStream<Piece>
  private let queue: AsyncStream<Piece>.Continuation

  init() { (pieces, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16)) }

  // If the body had no end, the task then aborts the writer.
  deinit { queue.finish() }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    // The error ends only the observation: the response is not stored, but still arrives completely.
    guard case .enqueued = queue.yield(.bytes(Data(bytes))) else { throw TooSlow() }
  }

  func end(_ result: Result<BodyEnd, LupineError>) {
    if case .success(let end) = result { queue.yield(.end(end.trailers)) }
    queue.finish()
  }
}

extension ResponseStore {
  /// Stores a response from its pieces; stores nothing if the response is incomplete or the store fails.
  func store(_ record: ResponseRecord, length: Int64?, from pieces: AsyncStream<StoringObserver.Piece>) async {
    guard let writer = try? await makeWriter(for: record, length: length) else { return }
    do {
      for await piece in pieces {
        switch piece {
        case .bytes(let bytes): try await writer.append(bytes)
        case .end(let trailers): _ = try await writer.commit(trailers: trailers)
        }
      }
    } catch {}
    await writer.abort()
  }
}
