import FoundationEssentials

/// A folder of a test's own, removed with this value.
public final class TemporaryFolder: Sendable {
  /// The folder's absolute path.
  public let path: String

  /// Makes a folder where the system keeps such.
  public convenience init() throws { try self.init(in: FileManager.default.temporaryDirectory.path) }

  /// Makes a folder in another one.
  public init(in parent: String) throws {
    path = URL(filePath: parent).appending(path: "lupine-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// What is in it, sorted by name.
  public var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  /// The path of the file of that name, whether it exists or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// A file's text.
  public func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

  /// Writes a file, with the folders above it, and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

  /// Writes a file, with the folders above it, and returns its path.
  @discardableResult
  public func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    let place = URL(filePath: file(name))
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: place)
    return file(name)
  }
}
