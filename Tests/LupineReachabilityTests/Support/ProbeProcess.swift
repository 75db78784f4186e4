import Glibc
import Synchronization

/// The probe, running in a network namespace; it is ended with the test.
final class ProbeProcess: Sendable {
  private let process: pid_t
  private let input: Int32
  /// The lines it prints, as they come.
  let lines: AsyncStream<String>

  /// Starts it by `ip netns exec`, which also shows it the namespace's own `/sys`.
  init(_ namespace: String, _ arguments: String...) throws {
    // Descriptors that another test's program inherited would keep the stream from ending.
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw ShellError("no pair of sockets")
    }
    defer { close(ends[1]) }
    input = ends[0]
    process = try Shell.start(
      ["ip", "netns", "exec", namespace, try Self.program()] + arguments, input: ends[1], output: ends[1])
    lines = Self.read(dup(ends[0]))
  }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    close(input)
  }

  /// Lets go a probe that waits for a line.
  func answer() { _ = write(input, "\n", 1) }

  /// The program beside the one that runs the tests.
  private static func program() throws -> String {
    let folders = ["/proc/self/exe", CommandLine.arguments[0]].compactMap { path -> String? in
      guard let real = realpath(path, nil) else { return nil }
      defer { free(real) }
      return String(cString: real)
    }
    let bundles = CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
    for path in folders + bundles {
      let program = path.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/ReachabilityProbe"
      if access(program, X_OK) == 0 { return program }
    }
    throw ShellError("ReachabilityProbe does not stand beside the tests")
  }

  /// Reads on a thread of its own, because it blocks; the descriptor is that thread's.
  private static func read(_ descriptor: Int32) -> AsyncStream<String> {
    AsyncStream { continuation in
      let reader = Reader(descriptor: descriptor, continuation: continuation)
      var thread = pthread_t()
      let context = Unmanaged.passRetained(reader)
      let code = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, context.toOpaque())
      guard code == 0 else {
        context.release()
        return continuation.finish()
      }
      pthread_detach(thread)
    }
  }

  private final class Reader: Sendable {
    private let descriptor: Int32
    private let continuation: AsyncStream<String>.Continuation

    init(descriptor: Int32, continuation: AsyncStream<String>.Continuation) {
      self.descriptor = descriptor
      self.continuation = continuation
    }

    func run() {
      defer { continuation.finish() }
      guard let file = fdopen(descriptor, "r") else { return }
      defer { fclose(file) }
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(line) }
      while getline(&line, &capacity, file) > 0, let line {
        continuation.yield(String(String(cString: line).dropLast()))
      }
    }
  }
}
