import FoundationEssentials
import Glibc
import LupineCore
import LupineCurl
import Measuring

/// One transfer in this process; it writes its idle and its peak memory in MB, its seconds and its bytes.
enum Transfer {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 5, let size = Int64(arguments[2]) else { throw MeasureError("wrong arguments") }
    let (url, up, down) = (arguments[1], arguments[3], arguments[4])
    let session = try Session.Builder().transport(.curl).build()
    // One small exchange first: what the library holds once it works is no cost of the large one.
    _ = try await session.upload(.text("x"), to: url).serializingData().value
    _ = try await session.request(url + "1").serializingData().value
    let idle = try memory("VmRSS:")
    let start = ContinuousClock.now
    let bytes = try await transfer(arguments[0], session, url, size, up, down)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard bytes == size else { throw MeasureError("\(bytes) bytes went over in the place of \(size)") }
    print(idle, try memory("VmHWM:"), seconds, Double(bytes))
    fflush(nil)
  }

  private static func transfer(
    _ way: String, _ session: Session, _ url: String, _ size: Int64, _ up: String, _ down: String
  ) async throws -> Int64 {
    switch way {
    case "upload-file":
      let answer = try await session.upload(.file(up), to: url).serializingString().value
      return Int64(answer) ?? 0
    case "upload-stream":
      let body = Body.stream(length: size) { Zeros(count: size) }
      return Int64(try await session.upload(body, to: url).serializingString().value) ?? 0
    case "download-file":
      _ = try await session.download(url + "\(size)", to: .file(down)).serializingFile().value
      var status = stat()
      return stat(down, &status) == 0 ? Int64(status.st_size) : 0
    default:
      var count: Int64 = 0
      for try await piece in session.streamRequest(url + "\(size)").serializingBytes() { count += Int64(piece.count) }
      return count
    }
  }

  /// A line of `/proc/self/status`, which counts in kB, in MB.
  private static func memory(_ name: String) throws -> Double {
    let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
      let number = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first, let kilobytes = Double(number)
    else { throw MeasureError("/proc/self/status has no \(name)") }
    return kilobytes * 1_024 / 1_000_000
  }
}

/// So many zeros, in pieces of 64 KiB.
private struct Zeros: AsyncSequence, AsyncIteratorProtocol, Sendable {
  var count: Int64

  func makeAsyncIterator() -> Zeros { self }

  mutating func next() async -> [UInt8]? {
    guard count > 0 else { return nil }
    let piece = [UInt8](repeating: 0, count: Int(Swift.min(count, 64 << 10)))
    count -= Int64(piece.count)
    return piece
  }
}
