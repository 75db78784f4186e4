public import Glibc

/// A process of its own, with its output on a pipe.
public struct Child {
  private let id: pid_t
  private let output: UnsafeMutablePointer<FILE>

  /// Starts a program: this one, unless another is named.
  public init(program: String = "/proc/self/exe", _ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }), let output = fdopen(ends[0], "r")
    else {
      throw MeasureError("no pipe: errno \(errno)")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var id: pid_t = 0
    let result = posix_spawn(&id, program, &actions, nil, &words, environ)
    close(ends[1])
    guard result == 0 else { throw MeasureError("\(program) could not be started: errno \(result)") }
    self.id = id
    self.output = output
  }

  /// Starts this program as a server, on the core that `LUPINE_SERVER_CORE` names, so that no client shares one with it.
  public static func server(_ arguments: String...) throws -> Child {
    guard let core = getenv("LUPINE_SERVER_CORE"), let path = realpath("/proc/self/exe", nil) else {
      return try Child(arguments)
    }
    defer { free(path) }
    return try Child(program: "/usr/bin/taskset", ["-c", String(cString: core), String(cString: path)] + arguments)
  }

  /// The next line that the process writes; `nil` at its end.
  public func line() -> String? {
    var text: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(text) }
    guard getline(&text, &capacity, output) > 0, let text else { return nil }
    return String(String(cString: text).dropLast())
  }

  /// Waits for the end, and gives what the process cost, as the kernel counted it.
  public func wait() throws -> rusage {
    defer { fclose(output) }
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(id, &status, 0, &usage) == id, status == 0 else {
      throw MeasureError("a process ended with status \(status)")
    }
    return usage
  }

  /// Ends the process.
  public func end() {
    kill(id, SIGTERM)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    fclose(output)
  }
}
