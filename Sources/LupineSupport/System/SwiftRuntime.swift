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

/// The threads of Swift's tasks, which libdispatch starts with the first task of a process.
public enum SwiftRuntime {
  #if os(Linux) || os(Android)
    /// The number of free descriptors that libdispatch needs.
    ///
    /// It opens an epoll descriptor, an eventfd, a timerfd, and an eventfd for the main queue. Then it opens a file of
    /// `/proc`, in which it reads whether a thread runs. It ends the process if it cannot open one of them.
    private static let neededDescriptors = 5
    /// The number of needed descriptors that stay open.
    private static let keptDescriptors = 4
    /// The number of free descriptors of which other threads leave enough for libdispatch.
    private static let ampleDescriptors = 32
    private static let isStarted = Atomic(false)

    /// Starts the threads unless they run already.
    ///
    /// - Returns: the system's code if the process or the system has too few descriptors for that; otherwise `nil`.
    public static func start() -> Int32? {
      if isStarted.load(ordering: .relaxed) || isThreadOfTasks { return nil }
      let (free, code) = freeDescriptors()
      if free.count < neededDescriptors, let code { return code }
      Task.detached { isStarted.store(true, ordering: .relaxed) }
      if free.count < ampleDescriptors {
        // The first job of the main queue opens its eventfd at once, even if nothing ever runs the job.
        Task.detached { @MainActor in }
        waitUntilOpen(free.prefix(keptDescriptors))
      }
      return nil
    }

    /// Waits for a bounded time until libdispatch has opened these descriptors, so that the caller does not take them.
    ///
    /// libdispatch opens the first three on a thread of its own.
    private static func waitUntilOpen(_ descriptors: ArraySlice<Int32>) {
      for _ in 0..<10_000 {
        if descriptors.allSatisfy({ fcntl($0, F_GETFD) >= 0 }) { return }
        sched_yield()
      }
    }

    /// Whether the calling thread runs a task and is not the main thread, which can run tasks before the other threads.
    private static var isThreadOfTasks: Bool {
      guard withUnsafeCurrentTask(body: { $0 != nil }) else { return false }
      // Reading a link needs no descriptor. Its text is `PID/task/TID`.
      var text = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/thread-self", &text, text.count)
      let numbers = text.prefix(max(0, length)).split(separator: CChar(UInt8(ascii: "/")))
      return numbers.count == 3 && numbers[0] != numbers[2]
    }

    /// Finds free descriptors, at most `ampleDescriptors`, by opening and closing them.
    ///
    /// - Returns: the descriptors, and the system's code if a limit prevented the opening of more.
    private static func freeDescriptors() -> ([Int32], Int32?) {
      var opened: [Int32] = []
      defer { for descriptor in opened { close(descriptor) } }
      while opened.count < ampleDescriptors {
        let descriptor = open("/", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return (opened, errno == EMFILE || errno == ENFILE ? errno : nil) }
        opened.append(descriptor)
      }
      return (opened, nil)
    }
  #else
    /// Starts the threads unless they run already.
    ///
    /// - Returns: `nil`, because the threads need no descriptors on this system.
    public static func start() -> Int32? { nil }
  #endif
}
