import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl
import LupineMultipart

/// The process that uploads with Lupine; it writes its idle memory in MB to its output.
enum Upload {
  static func run(url: String, paths: [String]) async throws {
    let session = try Session.Builder().transport(.curl).build()
    // A small form first: what the library holds once it works is no cost of the large one.
    _ = try await session.upload(multipart: { $0.append("x", name: "warm") }, to: url).serializingData().value
    print(Double(try residentBytes()) / 1_000_000)
    fflush(nil)
    let upload = session.upload(
      multipart: { form in
        for (number, path) in paths.enumerated() { form.append(.file(path), name: "file\(number)") }
      }, to: url)
    _ = try await upload.serializingData().value
  }

  /// What the process holds now: the second number of `/proc/self/statm`, in pages.
  private static func residentBytes() throws -> Int {
    let words = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self).split(
      separator: " ")
    return (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
