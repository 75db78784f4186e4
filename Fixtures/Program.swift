public import Foundation

/// A program of this package that tests run as a separate process.
public enum Program {
  /// The end of a program.
  public struct End: Sendable {
    /// The lines that it has printed.
    public let lines: [String]
    /// The signal that has ended it; `nil` if it has exited.
    public let signal: Int32?
  }

  /// Runs the program until it exits and returns the lines that it prints.
  ///
  /// `wrapper` is a command that runs the program, such as `unshare --net`, and receives its path and arguments.
  public static func run(_ name: String, _ arguments: [String], under wrapper: [String] = []) throws -> [String] {
    try runToEnd(name, arguments, under: wrapper).lines
  }

  /// Runs the program until it exits or a signal ends it, on a thread of its own, so that other tests run meanwhile.
  public static func end(of name: String, _ arguments: [String]) async throws -> End {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try runToEnd(name, arguments) }) }
    }
  }

  private static func runToEnd(_ name: String, _ arguments: [String], under wrapper: [String] = []) throws -> End {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = wrapper + [try url(name).path] + arguments
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return End(
      lines: String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init),
      signal: process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil)
  }

  /// The URL of the program: in the folder `LUPINE_PROGRAMS`, beside the test runner, or in the build of the checkout if the
  /// test runner is a copy.
  public static func url(_ name: String) throws -> URL {
    let candidates = ["/proc/self/exe"] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
    let chosen = ProcessInfo.processInfo.environment["LUPINE_PROGRAMS"].map { [URL(filePath: $0)] } ?? []
    let folders =
      chosen + candidates.map { URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent() }
      + [URL(filePath: Fixture.path("../.build/debug"))]
    let programs = folders.map { $0.appending(path: name) }
    guard let found = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw Missing(name: name)
    }
    return found
  }

  /// The error for a program that is not found.
  public struct Missing: Error {
    /// The name of the program.
    public let name: String
  }
}
