import Glibc
import LupineCore
import LupineEventLoop
import LupineTesting
import Synchronization
import Testing

/// A loop that cannot be created, whose thread is slow to end.
@Suite(.timeLimit(.minutes(1))) struct FailedLoopTests {
  /// A body that a refused command releases.
  private final class RefusedBody: BodyReader {
    let length: Int64? = nil
    private let onCancel: @Sendable () -> Void

    init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead { .end }

    func cancel() { onCancel() }
  }

  private final class Record: Sendable {
    private struct Holder {
      weak var wakeUp: WakeUp?
    }

    private let first = Mutex(Holder?.none)
    private let wasFreed = Mutex(Bool?.none)
    let isRefused = Gate()
    let isChecked = Atomic(false)

    /// Whether the wake-up of the first thread is freed.
    var isFreed: Bool { first.withLock { $0 != nil && $0?.wakeUp == nil } }

    /// The value of `isFreed` when the second thread created its loop; `nil` before.
    var wasFreedAtNextStart: Bool? { wasFreed.withLock { $0 } }

    func start(_ wakeUp: WakeUp) {
      let isFirst = first.withLock { first in
        if first != nil { return false }
        first = Holder(wakeUp: wakeUp)
        return true
      }
      if isFirst { return }
      let isFreed = isFreed
      wasFreed.withLock { $0 = isFreed }
    }

    /// Keeps the thread for a while after its command is refused.
    func refuse() {
      isRefused.open()
      for _ in 0..<10_000 where !isChecked.load(ordering: .relaxed) { sched_yield() }
    }
  }

  private let record = Record()
  private let loop: LoopThread

  init() {
    loop = LoopThread("failed-loop") { [record] (_, wakeUp) throws(LupineError) in
      record.start(wakeUp)
      throw LupineError(.other, "The loop cannot be created.")
    }
  }

  /// Queues a command, whose refusal calls the closure.
  private func submit(_ refuse: @escaping @Sendable () -> Void) throws {
    try loop.submit(.exchange(1, .opened(.success(RefusedBody(refuse)))))
  }

  @Test func `a shutdown after a failed start returns when the thread has freed its descriptor`() async throws {
    try submit { [record] in record.refuse() }
    try await record.isRefused.opened()
    await loop.shutDown()
    #expect(record.isFreed)
    record.isChecked.store(true, ordering: .relaxed)
  }

  @Test func `the next start begins when the thread of the failed one has freed its descriptor`() async throws {
    try submit { [record] in record.refuse() }
    try await record.isRefused.opened()
    let isNextRefused = Gate()
    try submit { isNextRefused.open() }
    try await isNextRefused.opened()
    record.isChecked.store(true, ordering: .relaxed)
    #expect(record.wasFreedAtNextStart == true)
    await loop.shutDown()
  }
}
