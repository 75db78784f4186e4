import Glibc

/// A process of its own, with its output on a pipe.
struct Child {
  private let id: pid_t
  private let output: Int32

  init(program: String = "/proc/self/exe", _ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
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
    output = ends[0]
  }

  /// The first line that the process writes.
  func line() throws -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for the end; the first line that the process wrote may say its idle memory in MB.
  func wait() throws -> Usage {
    let idle = Double(try line())
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(id, &status, 0, &usage) == id, status == 0 else {
      throw MeasureError("a process ended with status \(status)")
    }
    close(output)
    return Usage(
      processor: usage.ru_utime.seconds + usage.ru_stime.seconds, peak: Double(usage.ru_maxrss) * 1_024 / 1_000_000,
      idle: idle)
  }

  func end() {
    kill(id, SIGTERM)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    close(output)
  }
}
