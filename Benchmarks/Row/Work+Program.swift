import Glibc

extension Work {
  /// Runs a row's program while the main thread waits.
  ///
  /// callgrind crashes in a program with an `async` `main`.
  public static func run(_ program: @escaping @Sendable (Work) async throws -> Void) -> Never {
    Task.detached {
      do {
        try await program(Work())
        exit(0)
      } catch {
        let text = Array("\(CommandLine.arguments[0]): \(error)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
        exit(1)
      }
    }
    while true { pause() }
  }
}
