import Glibc

/// This program as a process of its own, with its output on a pipe.
struct Program {
  private let id: pid_t
  private let output: UnsafeMutablePointer<FILE>

  init(_ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }), let output = fdopen(ends[0], "r")
    else {
      throw MeasureError("no pipe: errno \(errno)")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var words = (["transfer-measure"] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var id: pid_t = 0
    let result = posix_spawn(&id, "/proc/self/exe", &actions, nil, &words, environ)
    close(ends[1])
    guard result == 0 else { throw MeasureError("a process could not be started: errno \(result)") }
    self.id = id
    self.output = output
  }

  /// The next line that the process writes; `nil` at its end.
  func line() -> String? {
    var text: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(text) }
    guard getline(&text, &capacity, output) > 0, let text else { return nil }
    return String(String(cString: text).dropLast())
  }

  func end() {
    kill(id, SIGTERM)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    fclose(output)
  }
}
