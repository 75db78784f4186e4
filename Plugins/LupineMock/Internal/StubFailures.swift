import LupineCore
import Synchronization

/// The errors of one stub, shared by all copies of its description.
final class StubFailures: Sendable {
  private let list = Mutex<[LupineError]>([])

  var all: [LupineError] { list.withLock { $0 } }

  func add(_ error: LupineError) { list.withLock { $0.append(error) } }
}
