import Glibc

/// Runs the programs of the tests.
enum Shell {
  /// Runs a program and waits for its end.
  ///
  /// - Throws: `ShellError` if the program cannot be started, or ends with another code than 0.
  static func run(_ arguments: String...) throws { try run(arguments) }

  static func run(_ arguments: [String]) throws {
    let process = try start(arguments)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw ShellError("\(arguments.joined(separator: " ")) failed with status \(status)") }
  }

  /// Starts a program, by default with the input and output of this process.
  static func start(_ arguments: [String], input: Int32? = nil, output: Int32? = nil) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawnp(&process, arguments[0], &actions, nil, &pointers, environ)
    guard code == 0 else { throw ShellError("\(arguments[0]): \(String(cString: strerror(code)))") }
    return process
  }
}
