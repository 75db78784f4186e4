import CNetlink
import Glibc

/// A thread of this module's own, for what blocks must not sit on Swift's cooperative pool.
enum SystemThread {
  private final class Work: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Runs the work on a thread on which no signal of the program is handled, and lets it go.
  ///
  /// - Parameter name: the kernel keeps the first 15 bytes.
  static func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws(NetlinkFailure) {
    pthread_detach(try make(name, run))
  }

  /// Runs the work on a thread and waits for its end.
  static func wait(_ name: String, _ run: @escaping @Sendable () -> Void) throws(NetlinkFailure) {
    pthread_join(try make(name, run), nil)
  }

  private static func make(_ name: String, _ run: @escaping @Sendable () -> Void) throws(NetlinkFailure) -> pthread_t {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(String(name.prefix(15)), run))
    let code = pthread_create(&thread, nil, main, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw NetlinkFailure("a thread cannot be started", code: code)
    }
    return thread
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
    lupine_name_this_thread(work.name)
    work.run()
    return nil
  }
}
