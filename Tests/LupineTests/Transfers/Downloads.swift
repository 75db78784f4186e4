import Foundation

/// A folder of a test's own, removed with the value.
final class DownloadFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "lupine-downloads-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// The file that nginx serves: each 8 bytes are their own offset, most significant byte first.
enum BigFile {
  static let size = 16 << 20

  /// Whether the file at the path is that one, byte for byte.
  static func isCopied(to path: String) throws -> Bool {
    try Data(contentsOf: URL(filePath: path)) == whole
  }

  private static let whole: Data = {
    var data = Data(capacity: size)
    for offset in stride(from: UInt64(0), to: UInt64(size), by: 8) {
      withUnsafeBytes(of: offset.bigEndian) { data.append(contentsOf: $0) }
    }
    return data
  }()
}
