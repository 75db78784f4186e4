import Foundation
import Lupine
import Synchronization

/// A response in memory.
struct StoredAnswer: Sendable {
  let head: HTTPResponse
  let data: Data
  let trailers: HTTPFields?
  /// When it arrived.
  var time = Duration.zero

  /// Answers an exchange: the bytes go wherever the session wants them, to memory, a file or a stream.
  func response(_ status: CacheStatus, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    var response = try await context.makeResponse(head, content: .bytes(data), trailers: trailers)
    response.attributes[CacheStatus.self] = status
    return response
  }
}

/// Stores a response as its body passes, if all of it does.
final class StoringObserver: BodyObserver {
  struct TooLarge: Error {}

  private let head: HTTPResponse
  private let data = Mutex(Data())
  private let keep: @Sendable (StoredAnswer) -> Void

  init(head: HTTPResponse, keep: @escaping @Sendable (StoredAnswer) -> Void) {
    self.head = head
    self.keep = keep
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    let count = data.withLock { data in
      data.append(contentsOf: bytes)
      return data.count
    }
    // The cache leaves this response, which arrives nevertheless.
    if count > 1 << 20 { throw TooLarge() }
  }

  func end(_ result: Result<BodyEnd, LupineError>) {
    guard case .success(let end) = result else { return }
    keep(StoredAnswer(head: head, data: data.withLock { $0 }, trailers: end.trailers))
  }
}
