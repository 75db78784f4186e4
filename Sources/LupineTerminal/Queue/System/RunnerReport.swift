#if Terminal
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The descriptor of the process that waits for a detached runner.
  final class RunnerReport: Sendable {
    /// `nil` as soon as it is closed: the system then gives its number to another file.
    private let descriptor: Mutex<Int32?>
    let isDetached: Bool

    init(_ number: Int32?) {
      descriptor = Mutex(number)
      isDetached = number != nil
      // Not for the commands that the runner starts.
      if let number { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    }

    /// Sends the report and closes the descriptor; later calls have no effect.
    func send(_ text: String) {
      guard let number = descriptor.withLock({ $0.take() }) else { return }
      let bytes = Array(text.utf8)
      _ = write(number, bytes, bytes.count)
      close(number)
    }
  }
#endif
