public import LupineCore
import LupineEventLoop
import LupineX509

/// The files of root certificates that verify the servers of a connection key.
public struct RootFiles: Equatable {
  /// The file that replaces the system's, or the places of the system's roots.
  private let system: SystemRoots
  /// Whether the program set the path of the file.
  private let isConfigured: Bool
  private let additional: String?

  /// - Parameter fallback: the file for a connection key that names none; `nil` for the system's file.
  public init(_ connectionKey: ConnectionKey, fallback: String?) {
    let configured = connectionKey.certificateAuthorities ?? fallback
    system = SystemRoots(named: configured)
    isConfigured = configured != nil
    additional = connectionKey.additionalCertificateAuthorities
  }

  /// The file; `nil` if there are only folders.
  public var file: String? { system.file }
  /// The folders.
  public var folders: [String] { system.folders }

  private var paths: [String] { [system.file, additional].compactMap(\.self) }

  /// The current version of each file and folder; `nil` for one that cannot be examined.
  ///
  /// The version of a folder changes if a file is added, removed or renamed. The files in it are not examined one by one:
  /// there may be hundreds.
  var versions: [FileVersion?] { (paths + system.folders).map { FileVersion(path: $0) } }

  /// Whether all files and, if there are folders, at least one of them exist and are readable.
  ///
  /// A folder that cannot be read counts as empty.
  var areReadable: Bool {
    paths.allSatisfy { FileAccess.readError($0) == nil }
      && (system.folders.isEmpty || system.folders.contains { FileAccess.readError($0) == nil })
  }

  /// - Throws: `LupineError` of kind `configuration` if a file cannot be read.
  func read() throws(LupineError) -> TrustedRoots {
    if let file = system.file { try CertificateBundle.check(file, isConfigured: isConfigured) }
    return try TrustedRoots(paths, folders)
  }
}

/// Checks the files of root certificates.
public enum CertificateBundle {
  /// The name of the setting in error messages.
  static let part = "certificateAuthorities"
  private static let additionalPart = "additionalCertificateAuthorities"

  /// Returns one issue for each file of root certificates that a session names and that cannot be read.
  public static func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    let files = [(part, key.certificateAuthorities), (additionalPart, key.additionalCertificateAuthorities)]
    return files.compactMap { part, path in
      guard let path, let reason = readProblem(path) else { return nil }
      return ConfigurationIssue(part: part, reason: reason)
    }
  }

  /// Returns the reason why a file cannot be read; `nil` if it can.
  static func readProblem(_ path: String) -> String? {
    guard let error = FileAccess.readError(path) else { return nil }
    return "the file of root certificates \(path) cannot be read: \(error.text)"
  }

  /// - Parameter isConfigured: whether the program set the path.
  static func check(_ path: String, isConfigured: Bool) throws(LupineError) {
    guard let problem = readProblem(path) else { return }
    let advice =
      isConfigured
      ? "The program set it with certificateAuthorities."
      : "Install the package ca-certificates, or name a file in SSL_CERT_FILE or a folder in SSL_CERT_DIR."
    throw LupineError.unusable(part, "No server certificate can be verified: \(problem). \(advice)")
  }
}
