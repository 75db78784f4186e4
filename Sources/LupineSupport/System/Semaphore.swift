#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Owns a semaphore of the system, for threads that wait for each other.
public struct Semaphore: ~Copyable, Sendable {
  /// `nonisolated(unsafe)`: any thread may use a semaphore, and `deinit` frees the memory after the last use.
  nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

  /// Creates a semaphore that is not signalled.
  public init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one thread continue: one that waits, or else the next one that would wait.
  public func signal() { sem_post(semaphore) }

  /// Blocks the calling thread until `signal` has been called for it.
  public func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
}
