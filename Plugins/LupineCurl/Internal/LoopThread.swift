import CLibcurl
import Glibc
import LupineCore

/// Starts the thread of a loop.
enum LoopThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs the work on a thread of its own, on which no signal of the program is handled.
  static func start(_ run: @escaping @Sendable () -> Void) throws(LupineError) -> pthread_t {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(run))
    let code = pthread_create(&thread, nil, Self.main, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw SystemFailure.error("A thread cannot be started", code: code)
    }
    return thread
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    lupine_name_thread("lupine-curl")
    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
