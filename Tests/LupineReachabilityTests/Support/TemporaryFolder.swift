import Glibc

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/lupine-reachability-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ShellError("no temporary folder") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { _ = try? Shell.run("rm", "-rf", path) }

  /// Writes a file, with the folders above it.
  func write(_ name: String, _ text: String) throws {
    let target = "\(path)/\(name)"
    let parent = target.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    try Shell.run("mkdir", "-p", parent)
    guard let file = fopen(target, "w") else { throw ShellError("\(target) cannot be written") }
    defer { fclose(file) }
    fputs(text, file)
  }
}
