import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl
import LupineNative
import LupineResumableUpload
import LupineSession
import LupineTransfers
import Synchronization

/// A program that uploads a file, for tests that kill it or measure it: `UploadProbe URL FILE MODE [CHECKPOINT]`.
///
/// It uploads over libcurl, or over the native transport if the variable `LUPINE_TRANSPORT` is `native`, and over HTTP/2 if
/// `LUPINE_HTTP` is `2`. It prints `stored` when it has written the checkpoint for the first time. At the end it prints
/// `done`, or the kind of the error, and then the peak of its resident memory in KiB.
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
    let variables = ProcessInfo.processInfo.environment
    let isNative = variables["LUPINE_TRANSPORT"] == "native"
    let builder = isNative ? Session.Builder().transport(.native) : Session.Builder().transport(.curl)
    let session = try builder.httpVersion(variables["LUPINE_HTTP"] == "2" ? .http2 : .http1_1).build()
    let upload = session.upload(.file(arguments[2]), to: arguments[1], method: .post).validate()
    if mode != .plain {
      let resumable = upload.resumable(.draft(8), mode == .careful ? .careful : .optimistic)
        .resumesAutomatically(delay: .zero)
      if arguments.count == 5 {
        let path = URL(filePath: arguments[4])
        resumable.checkpoint(path.lastPathComponent, in: ReportingStore(path.deletingLastPathComponent().path))
      }
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

/// Keeps checkpoints in a folder, and prints `stored` after the first one.
private final class ReportingStore: CheckpointStore {
  private let base: FileCheckpointStore
  private let hasReported = Atomic(false)

  init(_ folder: String) { base = FileCheckpointStore(folder: folder) }

  func read(_ name: String) throws(LupineError) -> Data? { try base.read(name) }
  func remove(_ name: String) throws(LupineError) { try base.remove(name) }

  func write(_ data: Data, to name: String) throws(LupineError) {
    try base.write(data, to: name)
    guard !hasReported.exchange(true, ordering: .relaxed) else { return }
    print("stored")
    fflush(nil)
  }
}
