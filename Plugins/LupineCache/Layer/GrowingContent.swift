import LupineCore
import LupineSupport

/// The content of a response that another request receives; its rest comes from the server if the other request does not
/// receive it.
struct GrowingContent: AsyncSequence, Sendable {
  typealias Element = [UInt8]

  let reader: GrowingReader
  /// The longest wait for the next bytes.
  let limit: Duration
  let clock: SessionClock
  /// Whether the rest after a position can be requested.
  let isContinuable: @Sendable (Int64) -> Bool
  /// Requests the rest after a position.
  let requestRest: @Sendable (Int64) async throws(LupineError) -> RemainingBytes

  func makeAsyncIterator() -> Iterator { Iterator(content: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let content: GrowingContent
    private var position: Int64 = 0
    private var rest: RemainingBytes.Iterator?

    fileprivate init(content: GrowingContent) { self.content = content }

    mutating func next() async throws -> [UInt8]? {
      if rest != nil { return try await rest?.next() }
      let limit = content.isContinuable(position) ? content.limit : nil
      switch try await content.reader.read(at: position, limit, on: content.clock) {
      case .bytes(let bytes):
        position += Int64(bytes.count)
        return bytes
      case .end: return nil
      case .broken, .stalled:
        content.reader.leave()
        rest = try await content.requestRest(position).makeAsyncIterator()
        return try await rest?.next()
      }
    }
  }
}
