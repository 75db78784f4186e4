import FoundationEssentials

/// A folder for one test; `deinit` removes it.
public final class TemporaryFolder: Sendable {
  /// The folder's absolute path.
  public let path: String

  /// Creates the folder in the system's temporary folder.
  public convenience init() throws { try self.init(in: FileManager.default.temporaryDirectory.path) }

  /// Creates the folder in `parent`.
  public init(in parent: String) throws {
    path = URL(filePath: parent).appending(path: "lupine-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names of the entries, sorted.
  public var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  /// The path of the file `name`, whether it exists or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The text of the file `name`.
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
