import Foundation

/// A file system of 3 MB in memory, which one command has for itself.
///
/// The command runs in a mount namespace of its own, where the file system is mounted on a folder of the test.
public struct SmallDisk {
  private static let options = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]

  private let place: TemporaryFolder

  /// Makes the folder; nothing is mounted until a command runs.
  public init() throws { place = try TemporaryFolder() }

  /// The path at which a command sees the file system.
  public var folder: String { place.path }

  /// Whether this process may mount a file system; containers often forbid it.
  public static var isPermitted: Bool { (try? SmallDisk().run("true").code) == 0 }

  /// Runs a command of the shell beside the new file system; returns its exit code and its output.
  public func run(_ command: String) throws -> (code: Int32, output: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    let mount = "mount -t tmpfs -o size=3m,mode=0700 none '\(folder)'"
    process.arguments = Self.options + ["/bin/sh", "-c", "\(mount) && \(command)"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
