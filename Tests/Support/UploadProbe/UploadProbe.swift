import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl
import LupineNative
import LupineResumableUpload
import LupineSession
import LupineTransfers

/// A program that uploads a file, for tests that kill it or measure it: `UploadProbe URL FILE MODE [CHECKPOINT]`.
///
/// It uploads over libcurl, or over the native transport if the variable `LUPINE_TRANSPORT` is `native`. At the end it
/// prints `done`, or the kind of the error, and then the peak of its resident memory in KiB.
@main
struct UploadProbe {
  enum Mode: String {
    /// Without resumption, to compare.
    case plain
    case optimistic
    case careful
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard (4...5).contains(arguments.count), let mode = Mode(rawValue: arguments[3]) else {
      print("usage: UploadProbe URL FILE plain|optimistic|careful [CHECKPOINT]")
      exit(64)
    }
    let isNative = ProcessInfo.processInfo.environment["LUPINE_TRANSPORT"] == "native"
    let builder = isNative ? Session.Builder().transport(.native) : Session.Builder().transport(.curl)
    let session = try builder.build()
    let upload = session.upload(.file(arguments[2]), to: arguments[1], method: .post).validate()
    if mode != .plain {
      let resumable = upload.resumable(.draft(8), mode == .careful ? .careful : .optimistic)
        .resumesAutomatically(delay: .zero)
      if arguments.count == 5 { resumable.checkpoint(arguments[4]) }
    }
    let error = await upload.serializingData().response.error
    print(error.map { "failed \($0.kind): \($0.message)" } ?? "done")
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    if let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }) {
      print(line.filter(\.isNumber))
    }
    fflush(nil)
    exit(error == nil ? 0 : 1)
  }
}
