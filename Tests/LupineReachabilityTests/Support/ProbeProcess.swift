import Glibc
import Synchronization

/// The program `ReachabilityProbe` in a network namespace; its last reference ends the process.
final class ProbeProcess: Sendable {
  private let process: pid_t
  private let input: Int32
  /// The lines that the probe prints.
  let lines: AsyncStream<String>

  /// Starts the probe with `ip netns exec`, which also mounts the `/sys` of the namespace.
  init(_ namespace: String, _ arguments: [String]) throws {
    // Without SOCK_CLOEXEC, a program of another test could inherit the descriptors, and the stream would not end.
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

  /// Sends the line for which the probe waits.
  func answer() { _ = write(input, "\n", 1) }

  /// The path of the probe, in the folder of the test program.
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

  /// Reads lines on a separate thread, because reading blocks; the thread owns the descriptor.
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
