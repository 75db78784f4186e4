import LupineCore

/// The events of a queue, in order: first the unacknowledged ones of earlier runs, then each new one.
///
/// Each iteration begins with the oldest event that is not acknowledged. It ends when the queue is closed or when its task
/// is cancelled. If another process runs the transfers, its events come as well, and the sequence ends after the stored
/// events when no process runs them any more: call `TransferQueue.takeOver()`, and read on. While the folder cannot be
/// used, the sequence waits and tries again; other calls throw the error.
public struct TransferEvents: AsyncSequence, Sendable {
  let engine: QueueEngine

  /// Begins with the oldest event that is not acknowledged.
  public func makeAsyncIterator() -> Iterator { Iterator(engine: engine) }

  /// Reads the events from the database, at most 64 at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let engine: QueueEngine
    private var last: Int64 = 0
    private var buffer: ArraySlice<TransferEvent> = []

    init(engine: QueueEngine) { self.engine = engine }

    /// The next event; `nil` at the end.
    public mutating func next() async -> TransferEvent? {
      while true {
        if buffer.isEmpty { buffer = await QueueReader(engine: engine).events(after: last)[...] }
        guard let event = buffer.popFirst() else { return nil }
        last = event.number
        // Another task may have acknowledged it since it was read.
        if await engine.hasEvent(event.number) { return event }
      }
    }
  }
}
