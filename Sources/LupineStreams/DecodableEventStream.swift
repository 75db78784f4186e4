import LupineCoding
public import LupineCore
import LupineFoundation

extension EventStream {
  /// The values that the data of the events contain, such as the pieces of a language model's answer.
  ///
  /// ```swift
  /// for try await piece in request.serializingEvents().decoded(as: Piece.self, until: "[DONE]") { print(piece.text) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of each value.
  ///   - sentinel: the data of the event that ends the sequence; the request then ends as well. If the events end without
  ///     it, the sequence throws kind `connectionLost`, because the answer is not complete. Default: `nil`, the sequence
  ///     ends with the events.
  ///   - decoder: decodes the data. Default: `nil`, the session's decoder, which is JSON unless the session has another one.
  public func decoded<Value: Decodable & Sendable>(
    as type: Value.Type = Value.self, until sentinel: String? = nil, decoder: (any DataDecoder)? = nil
  ) -> DecodableEventStream<Value> {
    DecodableEventStream(events: self, sentinel: sentinel, decoder: decoder ?? connections.decoder)
  }
}

/// The values in the data of Server-Sent Events.
///
/// The sequence can be iterated once.
public struct DecodableEventStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// One value.
  public typealias Element = Value

  let events: EventStream
  let sentinel: String?
  let decoder: any DataDecoder

  /// Returns the iterator; the request starts when the first value is read.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the values in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let stream: DecodableEventStream
    /// `nil` after the end; its release ends the request.
    private var events: EventStream.Iterator?

    init(_ stream: DecodableEventStream) {
      self.stream = stream
      events = stream.events.makeAsyncIterator()
    }

    /// The next value; `nil` at the end.
    ///
    /// - Throws: `LupineError` as `EventStream` does, of kind `serializationFailed` if the data of an event cannot be
    ///   decoded, and of kind `connectionLost` if the sentinel is missing. The sequence ends with the error.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> Value? {
      do throws(LupineError) {
        guard let event = try await events?.next(isolation: isolation) else {
          try checkEnd()
          return nil
        }
        if let sentinel = stream.sentinel, event.data == sentinel {
          events = nil
          return nil
        }
        return try event.json(Value.self, decoder: stream.decoder)
      } catch {
        events = nil
        throw error
      }
    }

    private mutating func checkEnd() throws(LupineError) {
      guard events != nil else { return }
      events = nil
      guard let sentinel = stream.sentinel else { return }
      throw LupineError(
        .connectionLost, "The events ended without “\(sentinel.prefix(100))”, so they are not complete.")
    }
  }
}
