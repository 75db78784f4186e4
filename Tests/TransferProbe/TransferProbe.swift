import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl

/// A program that downloads a file, for tests that kill it or fill its disk: `TransferProbe URL FILE CHECKPOINT [hold]`.
///
/// It prints how many bytes there are, a line each time, and at the end `done`, or the error's kind and whether the
/// download can be resumed. With `hold` it prints `whole` once all bytes are there, and waits to be killed before the file
/// is moved.
@main
struct TransferProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 || arguments.count == 5 && arguments[4] == "hold" else {
      print("usage: TransferProbe URL FILE CHECKPOINT [hold]")
      exit(64)
    }
    let session = try Session.Builder().transport(.curl).build()
    let response = await session.download(arguments[1], to: .file(arguments[2]))
      .checkpoint(arguments[3])
      .validate { _, _, _ in
        guard arguments.count == 5 else { return }
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
