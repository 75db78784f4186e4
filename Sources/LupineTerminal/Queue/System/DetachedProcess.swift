#if Terminal
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Starts this program again as a process that stays when the terminal is closed.
  enum DetachedProcess {
    private typealias CloseCall = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32

    /// Starts the process in a session of its own, with its output in a log of mode 0600.
    ///
    /// The process writes its report to the descriptor 3.
    ///
    /// - Returns: the number of the process and its report, for which this waits; empty if the process has ended.
    static func start(_ arguments: [String], log path: String) throws -> (process: Int32, report: String) {
      let log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard log >= 0 else {
        throw CommandFailure("The log \(path) cannot be opened: \(String(cString: strerror(errno))).")
      }
      defer { close(log) }
      guard let ends = socketPair() else {
        throw CommandFailure("The system has no socket for the runner: \(String(cString: strerror(errno))).")
      }
      let result = spawn(arguments, log: log, report: ends[1])
      close(ends[1])
      defer { close(ends[0]) }
      guard result.code == 0 else {
        throw CommandFailure("The runner cannot be started: \(String(cString: strerror(result.code))).")
      }
      return (result.process, read(ends[0]))
    }

    /// A pair of connected sockets that no other program inherits.
    ///
    /// A pipe would get its close-on-exec flag in a second call, because `pipe2` is not declared for Swift.
    private static func socketPair() -> [Int32]? {
      var ends: [Int32] = [-1, -1]
      #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      #elseif canImport(Darwin)
        let kind = SOCK_STREAM
      #else
        let kind = SOCK_STREAM | SOCK_CLOEXEC
      #endif
      return socketpair(AF_UNIX, kind, 0, &ends) == 0 ? ends : nil
    }

    private static func spawn(_ arguments: [String], log: Int32, report: Int32) -> (process: Int32, code: Int32) {
      #if canImport(Glibc)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
          posix_spawn_file_actions_destroy(&actions)
          posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for number: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, log, number) }
        posix_spawn_file_actions_adddup2(&actions, report, 3)
        guard let call = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
          unsafeBitCast(call, to: CloseCall.self)(&actions, 4) == 0
        else { return (0, ENOSYS) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID, which Swift does not import.
        posix_spawnattr_setflags(&attributes, Int16(0x80 | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let list = arguments.map { strdup($0) } + [nil]
        defer { for text in list { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, list, environ)
        return (process, code)
      #else
        return (0, ENOSYS)
      #endif
    }

    private static func read(_ descriptor: Int32) -> String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        #if canImport(Glibc)
          let count = Glibc.read(descriptor, &buffer, buffer.count)
        #else
          let count = -1
        #endif
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer.prefix(count)
      }
    }
  }
#endif
