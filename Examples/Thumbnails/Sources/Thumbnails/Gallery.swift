import Foundation
import Hummingbird
import LupineImage
import NIOCore
import Synchronization

/// A server of pictures, which counts the requests of each: 20 innocent ones and some hostile ones.
///
/// The picture `stalled` sends 2,000 bytes of the picture 0, waits for `endStall()`, and then ends incomplete.
final class Gallery: Sendable {
  static let pictures = 20
  /// The names of hostile pictures whose files are decoded, at least their headers.
  static let hostileFiles = ["huge", "text", "cut", "scans"]
  /// The names of hostile pictures that are refused by the head of their responses.
  static let hostileHeads = ["long", "missing"]

  /// Yields when the picture `stalled` is requested.
  let stalls: AsyncStream<Void>
  private let stallBegins: AsyncStream<Void>.Continuation
  private let stallEnds: AsyncStream<Void>
  private let stallEnd: AsyncStream<Void>.Continuation
  private let counts = Mutex<[String: Int]>([:])
  private let files: [String: ByteBuffer]

  /// Makes the pictures: JPEG files of 1,200 × 900 pixels.
  init() throws {
    var files: [String: Data] = [:]
    for index in 0..<Self.pictures {
      var pixels = [UInt8](repeating: 255, count: 1_200 * 900 * 4)
      for offset in stride(from: 0, to: pixels.count, by: 4) {
        let (column, row) = (offset / 4 % 1_200, offset / 4 / 1_200)
        pixels[offset] = UInt8(column * 255 / 1_200)
        pixels[offset + 1] = UInt8(row * 255 / 900)
        pixels[offset + 2] = UInt8(index * 12)
      }
      files["\(index)"] = try Image(width: 1_200, height: 900, pixels: pixels).encoded(as: .jpeg(quality: 85))
    }
    let header: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    // A PNG of 50,000 × 50,000 pixels; its checksum is not read before its size.
    files["huge"] = Data(
      header + Array("IHDR".utf8) + [0, 0, 0xC3, 0x50, 0, 0, 0xC3, 0x50, 8, 2, 0, 0, 0] + [0, 0, 0, 0])
    files["long"] = Data(count: 40 << 20)
    files["text"] = Data("<html>".utf8)
    files["cut"] = files["0"]?.prefix(5_000)
    files["scans"] = Self.scans()
    let line = [UInt8](repeating: 100, count: 16_384 * 4)
    files["line"] = try Image(width: 16_384, height: 1, pixels: line).encoded(as: .png)
    self.files = files.mapValues { ByteBuffer(bytes: $0) }
    (stalls, stallBegins) = AsyncStream.makeStream()
    (stallEnds, stallEnd) = AsyncStream.makeStream()
  }

  /// Ends the wait in the middle of the picture `stalled`.
  func endStall() { stallEnd.finish() }

  /// A progressive JPEG of 4,000 × 4,000 pixels with 90 scans, each of which visits all pixels again.
  private static func scans() -> Data {
    // The size, and a prefix code with one symbol for blocks that do not change.
    var file = Data([0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0]) + Data(repeating: 1, count: 64)
    file += [0xFF, 0xC2, 0, 11, 8, 0x0F, 0xA0, 0x0F, 0xA0, 1, 1, 0x11, 0]
    file += [0xFF, 0xC4, 0, 20, 0, 1] + Data(count: 16)
    for scan in 0..<90 {
      file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, scan == 0 ? 0x01 : 0x10]
      // A bit for each of the 500 × 500 blocks.
      file += Data(count: 31_250)
    }
    return file + [0xFF, 0xD9]
  }

  /// The number of requests for each path.
  var requests: [String: Int] { counts.withLock { $0 } }

  func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("pictures/:name") { [self] _, context in
      let name = try context.parameters.require("name")
      counts.withLock { $0[name, default: 0] += 1 }
      if name == "stalled" { return stalled() }
      guard let file = files[name] else { return Response(status: .notFound) }
      let type = ["huge", "long", "line"].contains(name) ? "image/png" : "image/jpeg"
      return Response(
        status: .ok, headers: [.contentType: type, .eTag: "\"\(name)\""], body: ResponseBody(byteBuffer: file))
    }
  }

  private func stalled() -> Response {
    let body = ResponseBody { [self] writer in
      guard let file = files["0"], let start = file.getSlice(at: 0, length: 2_000) else { return }
      try await writer.write(start)
      stallBegins.yield()
      for await _ in stallEnds {}
      try await writer.write(start)
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "image/jpeg"], body: body)
  }
}
