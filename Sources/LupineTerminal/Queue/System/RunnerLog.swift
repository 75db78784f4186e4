#if Terminal
  import Dispatch
  import LupineFoundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Bounds the size of a log to which this process and its hooks append.
  ///
  /// The kernel reports each write, also of a hook, and the process sleeps while nobody writes. `RunnerLog` copies a log
  /// that is too long to a second file, and empties it, so that a hook goes on with the same file. A line that is written
  /// between the two steps may be lost.
  final class RunnerLog: Sendable {
    /// The size in bytes after which the log begins again.
    private static let most = 1 << 20

    private let stop: @Sendable () -> Void

    /// Begins to bound the log at standard error; does nothing if the system cannot watch it.
    ///
    /// - Parameter path: the path of the log; the second file has `.1` at its end.
    init(_ path: String) {
      #if canImport(Glibc)
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard watch >= 0, inotify_add_watch(watch, "/proc/self/fd/2", UInt32(IN_MODIFY)) >= 0 else {
          if watch >= 0 { close(watch) }
          stop = {}
          return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: watch, queue: .global())
        source.setEventHandler {
          var events = [UInt8](repeating: 0, count: 4_096)
          while read(watch, &events, events.count) > 0 {}
          Self.turn(path)
        }
        source.setCancelHandler { close(watch) }
        // Before the handler can do the same on another thread.
        Self.turn(path)
        source.resume()
        nonisolated(unsafe) let kept = source
        stop = { kept.cancel() }
      #else
        stop = {}
      #endif
    }

    func cancel() { stop() }

    /// Appends a line with the time to standard error; a log that cannot be written does not end the runner.
    static func append(_ line: String) {
      try? StandardOutput.error.write("\(Date().formatted(.iso8601)) \(ControlEscaper.line(line))\n")
    }

    #if canImport(Glibc)
      /// Copies a large log to the second file, and empties it.
      private static func turn(_ path: String) {
        var status = stat()
        guard fstat(2, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > most else { return }
        let log = open("/proc/self/fd/2", O_RDONLY | O_CLOEXEC)
        let copy = open(path + ".1", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        defer { for file in [log, copy] where file >= 0 { close(file) } }
        // The end of a log that has grown far beyond the bound.
        if log >= 0, copy >= 0, lseek(log, max(0, status.st_size - off_t(most)), SEEK_SET) >= 0 {
          while sendfile(copy, log, nil, most) > 0 {}
        }
        // Also if the disk is full and nothing could be copied: that makes room.
        _ = ftruncate(2, 0)
      }
    #endif
  }
#endif
