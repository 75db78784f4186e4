import Foundation
import Glibc
import LupineFixtures

/// A run of `QueueProbe` as a process of its own, which a test may kill.
///
/// The hooks of a runner write to its standard error, so that this is open until the last of them has ended.
final class ProbeRun {
  /// The end of a run.
  struct Ending {
    /// Whether SIGKILL has ended the process, as the system tells its parent.
    let wasKilled: Bool
    /// The lines of its standard output that no other method has taken.
    let lines: [String]
    /// The lines of its hooks that no other method has taken.
    let hookLines: [String]
  }

  private let process = Process()
  private let (input, output, errors) = (Pipe(), Pipe(), Pipe())

  /// Starts the program with a folder.
  ///
  /// - Parameters:
  ///   - environment: variables that the process has beside those of the test.
  ///   - wrapper: a command that runs the program, and receives its path and its arguments.
  init(
    _ folder: TemporaryFolder, _ arguments: [String], environment: [String: String] = [:], under wrapper: [String] = []
  ) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = wrapper + [try Program.url("QueueProbe").path, folder.path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  var number: Int32 { process.processIdentifier }

  /// Waits until the process prints something or ends; returns the text.
  @discardableResult func nextOutput() -> String {
    String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
  }

  /// Waits for a line of a hook, which writes it with one call.
  func nextHookLine() -> String {
    String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  func kill() { _ = Glibc.kill(number, SIGKILL) }

  /// Ends the input, which ends the program, and waits for the process and its hooks.
  func end() throws -> Ending {
    try? input.fileHandleForWriting.close()
    let lines = try Self.lines(output)
    let hookLines = try Self.lines(errors)
    process.waitUntilExit()
    return Ending(
      wasKilled: process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL, lines: lines,
      hookLines: hookLines)
  }

  private static func lines(_ pipe: Pipe) throws -> [String] {
    String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}

extension TemporaryFolder {
  /// A folder in memory, where flushing costs no time.
  static func inMemory() throws -> TemporaryFolder {
    let memory = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: memory)
      ? try TemporaryFolder(in: memory) : try TemporaryFolder()
  }

  /// Writes the script that `QueueProbe` makes the hook of its group.
  func writeHook(_ lines: String) throws {
    try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(filePath: file("hook")))
    chmod(file("hook"), 0o700)
  }
}
