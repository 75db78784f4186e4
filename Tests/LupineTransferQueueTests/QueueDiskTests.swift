import Foundation
import LupineFixtures
import Testing

/// Runs `QueueProbe` on a small disk of its own.
@Suite(.timeLimit(.minutes(1)), .enabled("no file system can be mounted here") { SmallDisk.isPermitted })
struct QueueDiskTests {
  @Test func `a full disk refuses new transfers, and those that were added end once there is room`() throws {
    let disk = try SmallDisk()
    let (code, output) = try disk.run("'\(try Program.url("QueueProbe").path)' \(disk.folder) full")
    #expect(code == 0)
    #expect(output == "done\n")
  }

  @Test func `a folder that can only be read is refused with an error`() throws {
    let disk = try SmallDisk()
    let (code, output) = try disk.run(
      "mkdir -m 0700 \(disk.folder)/queue && mount -o remount,ro \(disk.folder)"
        + " && '\(try Program.url("QueueProbe").path)' \(disk.folder) print")
    #expect(code == 0)
    #expect(output.contains("Read-only file system"), "\(output)")
  }
}
