import Foundation
import LupineFixtures
import Testing

/// Runs `StoreProbe` on a small disk of its own.
@Suite(.timeLimit(.minutes(1)), .enabled("no file system can be mounted here") { SmallDisk.isPermitted })
struct FullDiskTests {
  private static func run(_ script: String) throws -> (code: Int32, output: String) {
    let disk = try SmallDisk()
    return try disk.run("'\(try Program.url("StoreProbe").path)' '\(disk.folder)/store' \(script)")
  }

  @Test func `a disk that is full stops storing, harms no response, and stores again once it has room`() throws {
    let (code, output) = try Self.run("full")
    #expect(code == 0)
    #expect(output == "done\n")
  }

  @Test func `a disk that another program fills takes no responses from a full store`() throws {
    let (code, output) = try Self.run("crowd")
    #expect(code == 0)
    #expect(output == "done\n")
  }
}
