import FoundationEssentials

/// A response's body as values, one decoded from each line.
public struct DecodableLineStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// One value.
  public typealias Element = Value

  let base: ByteStream
  let limit: Int
  let decoder: any DataDecoder

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      LineReader(base.makeAsyncIterator(), LineSplitter(limit: limit, ends: .lineFeed)) { Data($0) }, decoder: decoder)
  }

  /// Reads the values in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var reader: LineReader<Data>
    private let decoder: any DataDecoder

    init(_ reader: LineReader<Data>, decoder: any DataDecoder) {
      self.reader = reader
      self.decoder = decoder
    }

    /// The next value; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the request failed, or of kind `serializationFailed` where a line is no such value, and
    ///   `limitExceeded(.nesting)` where it is nested too deep.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> Value? {
      while let line = try await reader.next(isolation: isolation) {
        guard !line.allSatisfy(Self.isBlank) else { continue }
        do throws(LupineError) {
          if decoder is JSONDecoder { try Self.check(line) }
          return try decoder.decodeGuarded(Value.self, from: line)
        } catch {
          throw await reader.end(with: error.noting("That was one line of the response."))
        }
      }
      return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// JSON is UTF-8 (RFC 8259 section 8.1).
    private static func check(_ line: Data) throws(LupineError) {
      do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: line.span)
      } catch {
        throw LupineError(
          .serializationFailed, "The JSON is not valid UTF-8: it breaks off at byte \(error.byteOffsets.lowerBound).")
      }
    }
  }
}
