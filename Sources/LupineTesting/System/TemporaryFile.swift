import LupineCore
import LupineFoundation
import LupineSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file, open for reading and writing, that is removed with this value.
final class TemporaryFile: Sendable {
  let path: String
  let descriptor: Int32

  init(_ content: [UInt8] = []) throws(SocketFailure) {
    let folder = FileManager.default.temporaryDirectory.path
    // `mkstemp` replaces the six letters.
    var template = Array("\(folder)/lupine-conformance-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guard descriptor >= 0 else { throw SocketFailure("mkstemp") }
    if let code = content.withUnsafeBytes({ $0.write(to: descriptor) }) { throw SocketFailure("write", code: code) }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// The bytes of the file.
  var content: [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
    }
  }
}

extension TemporaryFile {
  /// Opens the file for reading only; the caller closes the descriptor with `closeDescriptor(_:)`.
  func openReadOnly() -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }

  static func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
}
