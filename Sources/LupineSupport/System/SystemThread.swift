#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A system thread, for blocking work that must not run on Swift's cooperative pool.
///
/// Each thread must be joined or detached once; otherwise its memory is leaked.
public struct SystemThread: Sendable {
  /// Why a thread cannot be started.
  public struct Failure: Error {
    /// The operating system's code.
    public let code: Int32

    /// Creates the error with the operating system's code.
    public init(code: Int32) { self.code = code }
  }

  /// Runs the work on a new thread, which ends when the work returns.
  public typealias Start = @Sendable (_ run: @escaping @Sendable () -> Void) throws(Failure) -> Void

  private final class Work: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  private let handle: pthread_t

  /// Runs the work on a new thread that handles no signals except those of its own faults, so that a crash is reported
  /// as usual.
  ///
  /// - Parameters:
  ///   - name: the thread's name; the kernel keeps the first 15 bytes.
  ///   - stackSize: the size of the stack in bytes, which counts towards a limit of address space although most of it is
  ///     never touched. Default: `nil`, the system's size, often 8 MiB.
  ///   - run: the work.
  public init(
    _ name: String, stackSize: Int? = nil, _ run: @escaping @Sendable () -> Void
  ) throws(Failure) {
    var blocked = sigset_t()
    var previous = sigset_t()
    sigfillset(&blocked)
    for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&blocked, fault) }
    pthread_sigmask(SIG_SETMASK, &blocked, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var handle = pthread_t()
    let work = Unmanaged.passRetained(Work(name, run))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // A size that the system refuses leaves its own size.
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    let code = pthread_create(&handle, &attributes, Self.main, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw Failure(code: code)
    }
    self.handle = handle
  }

  /// Lets other threads run first that are ready to run on the core of the calling thread; returns at once if there are
  /// none.
  public static func yield() { sched_yield() }

  /// Waits for the thread's end; a thread that joins itself is detached instead.
  public func join() {
    if pthread_join(handle, nil) == EDEADLK { detach() }
  }

  /// Detaches the thread, so that its memory is freed when it ends.
  public func detach() { pthread_detach(handle) }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
    setThreadName(work.name)
    work.run()
    return nil
  }
}

/// Sets the calling thread's name for debuggers.
///
/// The name is written to the kernel's file for it, because Swift imports no function for that. A failure is ignored.
private func setThreadName(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  var name = String(name.prefix(15))
  _ = name.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
  _ = close(descriptor)
}
