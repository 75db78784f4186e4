import CSeccomp
import FoundationEssentials
import Glibc
import LupineCore
import LupineSession
import LupineCurl
import LupineNative
import LupineTransfers

/// A program that downloads a file, for tests that kill it or fill its disk: `TransferProbe URL FILE CHECKPOINT [MODE]`.
///
/// It downloads over libcurl, or over the native transport if the variable `LUPINE_TRANSPORT` is `native`. It prints the
/// number of received bytes, one line for each step of progress. At the end it prints `done`, or the kind of the error
/// and whether the download can be resumed.
@main
struct TransferProbe {
  enum Mode: String {
    case plain = ""
    /// Fails if the download cannot be resumed from the checkpoint, and does not restart it.
    case strict
    /// Prints `whole` after the last byte, and then waits until the test kills it, before the file is moved.
    case hold
    /// Runs as on a file system without hard links.
    case linkless
    /// Runs as on a file system where a rename always replaces an existing file.
    case clobbering

    /// Forbids the system calls that the mode does without; returns 0, or an `errno`.
    func forbid() -> Int32 {
      switch self {
      case .plain, .strict, .hold: 0
      case .linkless: lupine_forbid_links()
      case .clobbering: lupine_forbid_exclusive_renames()
      }
    }
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard (4...5).contains(arguments.count), let mode = Mode(rawValue: arguments.count == 5 ? arguments[4] : "") else {
      print("usage: TransferProbe URL FILE CHECKPOINT [strict | hold | linkless | clobbering]")
      exit(64)
    }
    guard mode.forbid() == 0 else { exit(71) }
    let isNative = ProcessInfo.processInfo.environment["LUPINE_TRANSPORT"] == "native"
    let builder = isNative ? Session.Builder().transport(.native) : Session.Builder().transport(.curl)
    let session = try builder.build()
    let response = await session.download(arguments[1], to: .file(arguments[2]))
      .checkpoint(arguments[3], otherwise: mode == .strict ? .fail : .restart)
      .validate { _, _, _ in
        guard mode == .hold else { return }
        print("whole")
        fflush(nil)
        while true { pause() }
      }
      .downloadProgress { progress in
        print(progress.completed)
        fflush(nil)
      }
      .serializingFile().response
    if let error = response.error {
      print("failed \(error.kind), \(error.resumeData == nil ? "lost" : "resumable")")
      fflush(nil)
      exit(1)
    }
    print("done")
  }
}
