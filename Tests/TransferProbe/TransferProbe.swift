import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl

/// A program that downloads a file, for tests that kill it or fill its disk: `TransferProbe URL FILE CHECKPOINT`.
///
/// It prints how many bytes there are, a line each time, and at the end `done`, or the error's kind and whether the
/// download can be resumed.
@main
struct TransferProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else {
      print("usage: TransferProbe URL FILE CHECKPOINT")
      exit(64)
    }
    let session = try Session.Builder().transport(.curl).build()
    let response = await session.download(arguments[1], to: .file(arguments[2]))
      .checkpoint(arguments[3])
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
