import Foundation
import Glibc
import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// Downloads of a program that is killed, or whose disk is full.
@Suite(.overEachTransport, .besidePeers) struct KilledDownloadTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a program killed at ten random points, and once when all is there, ends with the same bytes`() throws {
    let arguments = [try Peer.nginx.url + "/paced/big.bin", folder.file("big.bin"), folder.file("big.resume")]
    var generator = SplitMix(seed: Seeds.first)
    let points = (0..<10).map { _ in Int.random(in: 1..<BigFile.size * 3 / 4, using: &generator) }.sorted()
    var last = 0
    for point in points {
      let program = try TransferProgram(arguments)
      #expect(program.kill(at: point), "killed at \(points)")
      // A program that resumes reports at least the bytes at which the last program was killed.
      #expect(program.firstFigure ?? 0 >= last, "killed at \(points)")
      #expect(!folder.names.contains("big.bin"), "killed at \(points)")
      last = point
    }
    let holding = try TransferProgram(arguments + ["hold"])
    #expect(holding.killWhenWhole())
    #expect(holding.firstFigure ?? 0 >= last)
    let final = try TransferProgram(arguments)
    #expect(final.finish() == ["done"])
    #expect(final.firstFigure == BigFile.size)
    #expect(try BigFile.isCopied(to: folder.file("big.bin")), "killed at \(points)")
    #expect(folder.names == ["big.bin"])
  }

  @Test(arguments: ["linkless", "clobbering"])
  func `a file is moved on file systems without hard links, and on those whose renaming clobbers`(mode: String) throws {
    let arguments = [try Peer.nginx.url + "/hello", folder.file("a"), folder.file("a.resume"), mode]
    #expect(try TransferProgram(arguments).finish() == ["done"])
    #expect(folder.names == ["a"])
  }

  /// Mounts a file system of 1 MiB, fills it with a download, enlarges it, and continues the download.
  ///
  /// The file system ends with the shell.
  private static let fillAndGrow = """
    mount -t tmpfs -o size=1m none "$2" || exit 2
    "$0" "$1" "$2/big.bin" "$2/big.resume"
    test ! -e "$2/big.bin" && echo "nothing there"
    mount -o remount,size=64m "$2"
    "$0" "$1" "$2/big.bin" "$2/big.resume"
    cmp "$2/big.bin" "$3" && echo same
    ls -A "$2"
    """

  /// Continues a download from a full disk on another disk, which is too small at first.
  ///
  /// The mode `strict` forbids a restart of the download.
  private static let moveAndGrow = """
    mount -t tmpfs -o size=1m none "$2" && mount -t tmpfs -o size=512k none "$4" || exit 2
    "$0" "$1" "$2/big.bin" "$5" strict
    "$0" "$1" "$4/big.bin" "$5" strict
    test -n "$(ls -A "$2")" && test -z "$(ls -A "$4")" && echo kept
    mount -o remount,size=64m "$4"
    "$0" "$1" "$4/big.bin" "$5" strict
    cmp "$4/big.bin" "$3" && echo same
    ls -A "$2" "$4"
    """

  /// Continues a download on another mount of the same file system, to which the partial file cannot be renamed.
  ///
  /// The server cuts each response.
  private static let moveToMount = """
    mount -t tmpfs none "$2" && mkdir "$2/one" "$2/two" && mount --bind "$2/two" "$4" || exit 2
    "$0" "$1" "$2/one/big.bin" "$5" strict
    for attempt in 1 2 3 4 5 6 7 8; do "$0" "$1" "$4/big.bin" "$5" strict && break; done | grep -v '^[0-9]' | uniq
    cmp "$4/big.bin" "$3" && echo same
    ls -A "$2/one"
    """

  private static let ownMounts = geteuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--mount", "--map-root-user"]

  private static let mayMount: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ownMounts + ["mount", "-t", "tmpfs", "none", "/mnt"]
    process.standardError = FileHandle.nullDevice
    return (try? process.run()).map { process.waitUntilExit() } != nil && process.terminationStatus == 0
  }()

  @Test(.enabled("a file system cannot be mounted here") { mayMount || geteuid() == 0 })
  func `a full disk is an error, the partial file stays, and no file is at the destination`() async throws {
    let lines = try await run(Self.fillAndGrow, "/big.bin")
    #expect(lines == ["failed fileFailed, resumable", "nothing there", "done", "same", "big.bin"])
  }

  @Test(.enabled("a file system cannot be mounted here") { mayMount || geteuid() == 0 })
  func `a download continues to another disk once there is room, and nothing is lost before`() async throws {
    let lines = try await run(Self.moveAndGrow, "/big.bin")
    let failed = "failed fileFailed, resumable"
    let (disk, other) = (folder.file("disk"), folder.file("other"))
    #expect(lines == [failed, failed, "kept", "done", "same", "\(disk):", "", "\(other):", "big.bin"])
  }

  @Test(.enabled("a file system cannot be mounted here") { mayMount || geteuid() == 0 })
  func `a download continues to another mount of its own file system`() async throws {
    let lines = try await run(Self.moveToMount, "/cut/big.bin")
    let failed = "failed connectionLost, resumable"
    #expect(lines == [failed, failed, "done", "same"])
  }

  /// Runs a script with the URL, a folder for a disk, the original file, another folder and a checkpoint's path.
  private func run(_ script: String, _ path: String) async throws -> [String] {
    let original = folder.file("original")
    _ = try await Peer.nginx.session().download("big.bin", to: .file(original)).serializingFile().value
    let disks = ["disk", "other"].map { folder.file($0) }
    for disk in disks { try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false) }
    let program = try TransferProgram(
      [try Peer.nginx.url + path, disks[0], original, disks[1], folder.file("big.resume")], script: script,
      under: Self.ownMounts)
    return program.finish()
  }
}
