import Foundation
import LupineCore
import LupineImage

/// Decodes one picture in a process of its own, whose memory a test reads.
///
/// `ImageProbe FILE [FILTER]` prints the size of the picture or the name of the limit and the kind of its error, and then
/// the bytes that the peak of the memory rose while it was decoded and filtered.
@main
struct ImageProbe {
  private static let filters: [ImageFilter] = [
    .scaled(width: 1_000, height: 1_000), .aspectFit(width: 200, height: 200),
    .aspectFit(width: 1_000, height: 1_000, enlarging: true), .aspectFill(width: 200, height: 200),
    .roundedCorners(radius: 100), .circle,
  ]

  static func main() throws {
    let names = CommandLine.arguments.dropFirst(2)
    let filters = names.compactMap { name in Self.filters.first { $0.name == name } }
    guard 2...3 ~= CommandLine.arguments.count, filters.count == names.count else {
      print("usage: ImageProbe FILE [FILTER], where FILTER is one of \(Self.filters)")
      exit(64)
    }
    // The libraries are loaded and have their tables before the memory is measured.
    let small = try Image(width: 1, height: 1, pixels: [0, 0, 0, 255])
    for encoding in [ImageEncoding.png, .jpeg(quality: 50), .webp(quality: 50)] {
      _ = try Image(decoding: small.encoded(as: encoding))
    }
    let file = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
    let before = try peak()
    do throws(LupineError) {
      let image = try Image(decoding: file, filters: filters)
      print("\(image.width) \(image.height)")
    } catch {
      print((error.underlying as? ImageLimitExceeded).map { "\($0.limit)" } ?? "none", error.kind.name)
    }
    print(try peak() - before)
  }

  /// The peak of the resident memory in bytes.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1_024
  }
}
