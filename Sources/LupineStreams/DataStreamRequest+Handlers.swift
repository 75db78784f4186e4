public import Dispatch
public import LupineCore
public import LupineFoundation
import LupineSession
import LupineSupport
import Synchronization

extension DataStreamRequest {
  /// Calls the handler with each piece as it arrives, after decoding, and with the end.
  ///
  /// The transport waits until the handler returns before it delivers the next piece. The head is validated before the
  /// first piece. The body has one consumer, either one handler or one sequence: a second handler is called only with
  /// an error.
  ///
  /// - Parameters:
  ///   - queue: where the handler is called; `nil` means off the caller's thread.
  ///   - limit: the maximum size of the body in bytes, as for `serializingBytes`. Default: no limit.
  @discardableResult
  public func responseStream(
    queue: DispatchQueue? = nil, limit: Int64? = nil, handler: @escaping @Sendable (Stream<Data>) -> Void
  ) -> Self {
    deliver(on: queue) {
      $0.serializingBytes(limit: limit)
    } to: {
      handler($0.map { Data($0) })
    }
  }

  /// Calls the handler with the body as UTF-8 text, piece by piece, as `serializingStrings` does; see `responseStream`.
  @discardableResult
  public func responseStreamString(
    queue: DispatchQueue? = nil, handler: @escaping @Sendable (Stream<String>) -> Void
  ) -> Self {
    deliver(on: queue) {
      $0.serializingStrings()
    } to: {
      handler($0)
    }
  }

  /// Calls the handler with each line, as `serializingLines` does; see `responseStream`.
  ///
  /// - Parameter limit: the maximum length of one line in bytes. Default: 1 MiB.
  @discardableResult
  public func responseStreamLine(
    queue: DispatchQueue? = nil, limit: Int = 1 << 20, handler: @escaping @Sendable (Stream<String>) -> Void
  ) -> Self {
    deliver(on: queue) {
      $0.serializingLines(limit: limit)
    } to: {
      handler($0)
    }
  }

  /// Calls the handler with the value of each line, as `serializingDecodableLines` does; see `responseStream`.
  ///
  /// A line that cannot be decoded ends the request.
  ///
  /// - Parameters:
  ///   - decoder: what decodes a line; `nil` means the session's decoder, which is JSON by default.
  ///   - limit: the maximum length of one line in bytes. Default: 1 MiB.
  @discardableResult
  public func responseStreamDecodable<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil,
    limit: Int = 1 << 20, handler: @escaping @Sendable (Stream<Value>) -> Void
  ) -> Self {
    deliver(on: queue) {
      $0.serializingDecodableLines(of: type, decoder: decoder, limit: limit)
    } to: {
      handler($0)
    }
  }

  /// Calls the handler with the value of each line, and decodes service errors as `Failure`; see `responseStream`.
  ///
  /// The service error is decoded from the body of a refused response, or from the line that is no `Value`; see
  /// `serializingEvents(error:)`.
  @discardableResult
  public func responseStreamDecodable<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, error: Failure.Type, queue: DispatchQueue? = nil,
    decoder: (any DataDecoder)? = nil, limit: Int = 1 << 20, handler: @escaping @Sendable (Stream<Value>) -> Void
  ) -> Self {
    deliver(on: queue) {
      $0.serializingDecodableLines(of: type, error: error, decoder: decoder, limit: limit)
    } to: {
      handler($0)
    }
  }

  /// Calls the handler with each Server-Sent Event and reconnects as `serializingEvents` does; see `responseStream`.
  ///
  /// - Parameters:
  ///   - reconnects: whether to reconnect. Default: yes if the request is idempotent and its body can be sent again.
  ///   - retry: the time before a reconnection if the server sends none. Default: 3 seconds.
  ///   - reconnectionLimit: the maximum number of consecutive reconnections without an event. Default: no limit.
  ///   - limit: the maximum size of one event in bytes. Default: 1 MiB.
  @discardableResult
  public func responseStreamEvent(
    queue: DispatchQueue? = nil, reconnects: Bool? = nil, retry: Duration = .seconds(3),
    reconnectionLimit: Int? = nil, limit: Int = 1 << 20,
    handler: @escaping @Sendable (Stream<ServerSentEvent>) -> Void
  ) -> Self {
    deliver(events(nil, reconnects, retry, reconnectionLimit, limit), on: queue, to: handler)
  }

  /// Calls the handler with each Server-Sent Event, and decodes service errors as `Failure`; see `responseStream`.
  ///
  /// The service error is decoded from the body of a response that is no event stream; see `serializingEvents(error:)`.
  @discardableResult
  public func responseStreamEvent<Failure: Error & Decodable & Sendable>(
    error: Failure.Type, queue: DispatchQueue? = nil, decoder: (any DataDecoder)? = nil, reconnects: Bool? = nil,
    retry: Duration = .seconds(3), reconnectionLimit: Int? = nil, limit: Int = 1 << 20,
    handler: @escaping @Sendable (Stream<ServerSentEvent>) -> Void
  ) -> Self {
    deliver(events(failures(error, decoder), reconnects, retry, reconnectionLimit, limit), on: queue, to: handler)
  }

  private func deliver(
    _ events: EventStream, on queue: DispatchQueue?, to handler: @escaping @Sendable (Stream<ServerSentEvent>) -> Void
  ) -> Self {
    run(events, isReader: events.connections.isReader, on: queue, to: handler)
    return self
  }

  /// Starts the request unless it is suspended, and reads the values once the response has begun.
  private func deliver<Values: AsyncSequence & Sendable>(
    on queue: DispatchQueue?, _ values: @escaping @Sendable (DataStreamRequest) -> Values,
    to handler: @escaping @Sendable (Stream<Values.Element>) -> Void
  ) -> Self where Values.Failure == LupineError {
    guard consumer.take() else {
      // The sequence reports the error.
      run(values(self), isReader: false, on: queue, to: handler)
      return self
    }
    // The references are weak: strong ones would be a cycle and leak a request that is never started.
    consumer.response.whenOpened { [weak execution, weak consumer] _ in
      guard let execution, let consumer else { return }
      let reader = DataStreamRequest(execution, consumer, hasTaken: true)
      reader.run(values(reader), isReader: true, on: queue, to: handler)
    }
    execution.start()
    return self
  }

  /// Reads the values in a separate task, which the session counts as one that calls handlers.
  private func run<Values: AsyncSequence & Sendable>(
    _ values: Values, isReader: Bool, on queue: DispatchQueue?,
    to handler: @escaping @Sendable (Stream<Values.Element>) -> Void
  ) where Values.Failure == LupineError {
    let execution = execution
    execution.session.deliver {
      let error = await Self.read(values, of: execution) { value in
        await Queueing.call(on: queue) { handler(Stream(event: .stream(value), execution: execution)) }
      }
      let outcome = isReader ? await execution.outcome() : nil
      let completion = Completion(
        outcome, error: error.map { error in outcome.map { execution.completed(error, by: $0) } ?? error })
      await Queueing.call(on: queue) { handler(Stream(event: .complete(completion), execution: execution)) }
    }
  }

  /// Delivers the values and returns the reason for the end; delivers nothing after the request is cancelled.
  private static func read<Values: AsyncSequence & Sendable>(
    _ values: Values, of execution: RequestExecution, _ handOver: (Values.Element) async -> Void
  ) async -> LupineError? where Values.Failure == LupineError {
    var iterator = values.makeAsyncIterator()
    do throws(LupineError) {
      while let value = try await iterator.next(isolation: #isolation) {
        if let reason = execution.cancellation { return reason }
        await handOver(value)
      }
      return nil
    } catch {
      return error
    }
  }
}
