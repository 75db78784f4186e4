import FoundationEssentials

/// A response's body as values, one decoded from each line.
public struct DecodableLineStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// One value.
  public typealias Element = Value

  let base: LineStream
  let decoder: any DataDecoder

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), decoder: decoder) }

  /// Reads the values in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: LineStream.Iterator
    private let decoder: any DataDecoder

    init(base: LineStream.Iterator, decoder: any DataDecoder) {
      self.base = base
      self.decoder = decoder
    }

    /// The next value; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the request failed, or of kind `serializationFailed` where a line is no such value, and
    ///   `limitExceeded(.nesting)` where it is nested too deep.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> Value? {
      while let line = try await base.next(isolation: isolation) {
        guard !line.allSatisfy(\.isWhitespace) else { continue }
        do throws(LupineError) {
          return try decoder.decodeGuarded(Value.self, from: Data(line.utf8))
        } catch {
          throw error.noting("That was one line of the response.")
        }
      }
      return nil
    }
  }
}
