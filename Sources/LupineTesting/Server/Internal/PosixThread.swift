import Glibc

/// A thread of the server's own, because what blocks must not sit on Swift's cooperative pool.
struct PosixThread: Sendable {
  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  private let handle: pthread_t

  /// Starts a thread; the kernel keeps the first 15 bytes of its name.
  init(name: String, run: @escaping @Sendable () -> Void) throws(SocketFailure) {
    var handle = pthread_t()
    let body = Unmanaged.passRetained(Body(name: String(name.prefix(15)), run: run))
    let code = pthread_create(
      &handle, nil,
      { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        nameThread(body.name)
        body.run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw SocketFailure("pthread_create", code: code)
    }
    self.handle = handle
  }

  /// Waits for the thread's end; a thread that would wait for itself is let go instead.
  func join() {
    if pthread_join(handle, nil) == EDEADLK { pthread_detach(handle) }
  }
}

/// Names the calling thread for debuggers, through the kernel's file for it; a name that is not taken does no harm.
private func nameThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  _ = write(descriptor, name, name.utf8.count)
  _ = close(descriptor)
}
