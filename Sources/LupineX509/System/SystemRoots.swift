#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The places of root certificates: those of the system, unless a program names a file.
///
/// `SSL_CERT_FILE` is the path of a file. `SSL_CERT_DIR` is a list of folders, separated by colons; every file in them is
/// read, whatever its name. If one of them is set, only what they name is trusted. Otherwise the first readable one of the
/// usual files is.
public struct SystemRoots: Equatable, Sendable {
  /// The file; `nil` if there are only folders.
  public let file: String?
  /// The folders.
  public let folders: [String]

  private static let usual = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// The file that a program has named, or else the places that the environment names now.
  public init(named file: String?) {
    let variable = file == nil ? getenv("SSL_CERT_DIR").map { String(cString: $0) } : nil
    folders = variable?.split(separator: ":").map(String.init) ?? []
    let named = file ?? getenv("SSL_CERT_FILE").map { String(cString: $0) }
    self.file = named ?? (folders.isEmpty ? Self.usual.first { access($0, R_OK) == 0 } ?? Self.usual[0] : nil)
  }

  /// Returns the files of folders, each once, although links with other names may refer to it.
  ///
  /// A file need not contain a certificate. Folders in the folders and hidden files are left out.
  static func files(in folders: [String]) -> [String] {
    var seen: Set<[UInt64]> = []
    return folders.flatMap { paths(in: $0) }.filter { path in
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      return seen.insert([UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]).inserted
    }
  }

  /// The paths in a folder, in order of their names; empty if the folder cannot be read.
  private static func paths(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }
}
