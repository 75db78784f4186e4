import LupineSupport

/// Blocks a thread until the test signals it.
final class Gate: Sendable {
  private let semaphore = Semaphore()

  func wait() { semaphore.wait() }
  func signal() { semaphore.signal() }
}
