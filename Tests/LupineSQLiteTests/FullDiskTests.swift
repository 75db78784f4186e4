import Foundation
import LupineFixtures
import Testing

/// Runs `StoreProbe` on a disk of 3 MB: a file system in memory, which a mount namespace has for the program alone.
@Suite struct FullDiskTests {
  private static let unshare = "/usr/bin/unshare"
  private static let options = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]

  /// Runs a shell command in a namespace; returns its exit code and its output.
  private static func run(_ command: String) throws -> (code: Int32, output: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: unshare)
    process.arguments = options + ["/bin/sh", "-c", command]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static func mount(_ folder: TemporaryFolder) -> String {
    "mount -t tmpfs -o size=3m,mode=0700 none \(folder.path)"
  }

  /// Whether this process may make a namespace with a file system of its own; containers often forbid it.
  private static var isPermitted: Bool {
    guard let folder = try? TemporaryFolder() else { return false }
    return (try? run(mount(folder)).code) == 0
  }

  @Test(
    .timeLimit(.minutes(1)), .enabled("no file system can be mounted here") { FullDiskTests.isPermitted })
  func `a disk that is full stops storing, harms no response, and stores again once it has room`() throws {
    let folder = try TemporaryFolder()
    let program = try Program.url("StoreProbe").path
    let (code, output) = try Self.run("\(Self.mount(folder)) && '\(program)' \(folder.path)/store full")
    #expect(code == 0)
    #expect(output == "done\n")
  }

  @Test(
    .timeLimit(.minutes(1)), .enabled("no file system can be mounted here") { FullDiskTests.isPermitted })
  func `a disk that another program fills takes no responses from a full store`() throws {
    let folder = try TemporaryFolder()
    let program = try Program.url("StoreProbe").path
    let (code, output) = try Self.run("\(Self.mount(folder)) && '\(program)' \(folder.path)/store crowd")
    #expect(code == 0)
    #expect(output == "done\n")
  }
}
