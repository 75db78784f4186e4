import LupineCoding
public import LupineCore
import LupineFoundation

/// A response's body as lines.
public struct LineStream: AsyncSequence, Sendable {
  /// One line, without its end.
  public typealias Element = String

  let base: ByteStream
  let limit: Int

  /// Returns the iterator; the request starts when the first line is read.
  public func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), limit: limit) }

  /// Reads the lines in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var reader: LineReader<String>

    /// - Parameter hasLastLine: whether bytes after the last line end are a line.
    init(_ bytes: ByteStream.Iterator, limit: Int, hasLastLine: Bool = true) {
      reader = LineReader(bytes, LineSplitter(limit: limit, ends: .any), hasLastLine: hasLastLine) {
        String(decoding: $0, as: UTF8.self)
      }
    }

    /// The next line; `nil` at the end.
    ///
    /// - Throws: `LupineError` if the request fails or a line exceeds the limit. The lines before the error are
    ///   returned first.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> String? {
      if let line = reader.ready() { return line }
      return try await reader.next(isolation: isolation)
    }
  }
}

/// A response's body as values, one decoded from each line.
public struct DecodableLineStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// One value.
  public typealias Element = Value

  let base: ByteStream
  let limit: Int
  let decoder: any DataDecoder
  /// `Limits.errorBody`.
  let errorBodyLimit: Int64
  let failures: (any FailureExplaining)?

  /// Returns the iterator; the request starts when the first value is read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      LineReader(base.makeAsyncIterator(), LineSplitter(limit: limit, ends: .lineFeed)) { Data($0) }, stream: self)
  }

  /// Reads the values in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var reader: LineReader<Data>
    private let stream: DecodableLineStream

    init(_ reader: LineReader<Data>, stream: DecodableLineStream) {
      self.reader = reader
      self.stream = stream
    }

    /// The next value; `nil` at the end.
    ///
    /// - Throws: `LupineError` if the request fails, of kind `serializationFailed` if a line cannot be decoded, and of
    ///   kind `limitExceeded(.nesting)` if a line is nested too deep.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> Value? {
      do throws(LupineError) {
        while let line = try await reader.next(isolation: isolation) {
          if !line.allSatisfy(Self.isBlank) { return try await value(of: line) }
        }
        return nil
      } catch {
        throw stream.failures?.explained(error) ?? error
      }
    }

    private func value(of line: Data) async throws(LupineError) -> Value {
      do throws(LupineError) {
        return try stream.decoder.decodeGuarded(
          Value.self, from: line, contentType: reader.contentType, requiresUTF8: true)
      } catch {
        let failure = error.appending("That was one line of the response.").carrying(line, limit: stream.errorBodyLimit)
        throw await reader.end(with: failure)
      }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  }
}
