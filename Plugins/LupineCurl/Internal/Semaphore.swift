import Glibc

/// Owns a semaphore that wakes a waiting thread.
final class Semaphore: Sendable {
  /// `nonisolated(unsafe)`: any thread may use a semaphore, and `deinit` frees the memory after the last use.
  nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func ring() { sem_post(semaphore) }

  /// Waits for a call of `ring`.
  func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
}
