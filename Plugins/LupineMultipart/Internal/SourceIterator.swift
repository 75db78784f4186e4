import LupineCore

/// A reference to an iterator, so that a closure can call its mutating `next`.
final class SourceIterator<Base: AsyncIteratorProtocol> where Base.Element == [UInt8] {
  private var base: Base

  init(_ base: Base) { self.base = base }

  func next() async throws(LupineError) -> [UInt8]? {
    do {
      return try await base.next(isolation: #isolation)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "The bytes of the multipart could not be read: \(error).", underlying: error)
    }
  }
}
