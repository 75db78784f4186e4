import LupineCore
import LupineSQLiteConnection
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

/// The file `secret` of a store: 32 random bytes and their checksum.
struct SecretFile {
  /// The number of random bytes.
  static let length = 32

  private let folder: StoreFolder
  private var path: String { folder.path + "/secret" }

  init(in folder: StoreFolder) { self.folder = folder }

  /// The random bytes; `nil` if the file is missing or damaged.
  ///
  /// The caller needs no lock, because the file is replaced as a whole.
  var intact: [UInt8]? {
    guard FileStatus.of(path)?.isOwnFile == true, let bytes = try? read() else { return nil }
    return Self.secret(in: bytes)
  }

  /// Returns the bytes of the file, and makes the file if it is missing or damaged.
  ///
  /// The caller holds the folder's lock.
  func load(orMakeWith random: () -> UInt64) throws(LupineError) -> [UInt8] {
    try folder.clear(path)
    if FileStatus.of(path) != nil {
      if let secret = Self.secret(in: try read()) { return secret }
      try folder.setAside(path)
    }
    var secret: [UInt8] = []
    while secret.count < Self.length { secret.append(bigEndian: random()) }
    try write(Self.content(secret))
    return secret
  }

  /// Returns the random bytes of a file's content; `nil` if the content is damaged.
  private static func secret(in bytes: [UInt8]) -> [UInt8]? {
    let secret = Array(bytes.prefix(length))
    return bytes == content(secret) ? secret : nil
  }

  private static func content(_ secret: [UInt8]) -> [UInt8] {
    var content = secret
    content.append(bigEndian: secret.checksum)
    return content
  }

  private func read() throws(LupineError) -> [UInt8] {
    guard let file = Descriptor(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) else {
      throw LupineError.file("cannot be opened", path, code: errno)
    }
    return try ContentFile(path: path, file).read(Self.length + 9, at: 0)
  }

  private func write(_ content: [UInt8]) throws(LupineError) {
    let temporary = path + ".new"
    // A process that ended before the rename left it behind.
    unlink(temporary)
    do throws(NewFile.Failure) {
      let file = try NewFile(temporary)
      if let code = content.withUnsafeBytes({ $0.write(to: file.descriptor) }) { throw NewFile.Failure(code: code) }
      try file.synchronize()
      try file.move(to: path)
    } catch {
      unlink(temporary)
      throw LupineError.file("cannot be written", path, code: error.code)
    }
  }
}
