import LupineCore

/// The transfers of a queue: first as they are, and then after each change, ten times a second at most.
///
/// Each value has the transfers in the order in which they were added, with the progress of those that run, also in
/// another process. A reader that is slow gets the newest state. The sequence ends when the queue is closed, when its task is
/// cancelled, or when no process runs the transfers any more.
public struct TransferUpdates: AsyncSequence, Sendable {
  let engine: QueueEngine

  /// Begins with the transfers as they are.
  public func makeAsyncIterator() -> Iterator { Iterator(engine: engine) }

  /// Reads the transfers from the database.
  public struct Iterator: AsyncIteratorProtocol {
    let engine: QueueEngine
    private var last: Int?

    init(engine: QueueEngine) { self.engine = engine }

    /// The transfers after the next change; `nil` at the end.
    public mutating func next() async -> [TransferSnapshot]? {
      if last != nil {
        guard (try? await engine.settings.clock.sleep(.milliseconds(100))) != nil else { return nil }
      }
      guard let update = await QueueReader(engine: engine).update(after: last) else { return nil }
      last = update.change
      return update.value
    }
  }
}
