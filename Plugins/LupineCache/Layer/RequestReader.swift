import LupineCore
import Synchronization

/// Reads what the cache needs from each request of a session.
///
/// It keeps the results of the last request. The next request with the same fields or the same connection key reuses
/// them.
final class RequestReader: Sendable {
  private struct Last {
    /// `OutgoingRequest.fieldScanID`; requests with the same number have identical fields.
    var scan: UInt64?
    var fields: RequestFields?
    var key: ConnectionKey?
    /// The keyed hash of `key`.
    var connection = ""
  }

  private let storage: CacheStorage
  private let last = Mutex(Last())

  init(_ storage: CacheStorage) { self.storage = storage }

  func read(_ request: OutgoingRequest, in context: TransferContext) -> CacheableRequest {
    let (scan, key, isRetry) = (request.fieldScanID, context.connectionKey, context.attempt > 1)
    let (known, connection) = last.withLock { last in
      (scan != nil && last.scan == scan ? last.fields : nil, last.key == key ? last.connection : nil)
    }
    if let known, let connection {
      return CacheableRequest(request, known, connection: connection, isRetry: isRetry)
    }
    let fields = known ?? RequestFields(request.headers, storage.hash, context.secretFields)
    let new = Last(scan: scan, fields: fields, key: key, connection: connection ?? storage.connection(key))
    // The former results are released outside the lock.
    let former = last.withLock { last in
      defer { last = new }
      return last
    }
    _ = consume former
    return CacheableRequest(request, fields, connection: new.connection, isRetry: isRetry)
  }
}
