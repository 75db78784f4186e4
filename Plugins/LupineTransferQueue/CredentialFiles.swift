import LupineCore
public import LupineSession
import LupineSupport

/// The credentials of transfers, each in a file whose name a transfer has: `QueuedTransfer.credential`.
///
/// A file has one line: `Bearer` and a token, which is added to the requests, or a username, a colon and a password, with
/// which challenges are answered. It is a regular file of this user that no one else can read, with the mode 0600 or 0400.
/// In the folder of systemd's `$CREDENTIALS_DIRECTORY`, the file may belong to root, and its group may read it.
///
/// ```
/// $ install -m 700 -d ~/.config/lupine/credentials
/// $ (umask 077; printf 'Bearer %s\n' "$TOKEN" > ~/.config/lupine/credentials/accounting)
/// ```
///
/// A transfer whose file is missing waits, as one without a credential does. A file that cannot be used fails its
/// transfers with a message that names it. A token, and a password that a server could read, are sent over https, and over
/// http to a loopback address alone; over http, a password answers challenges of Digest. The files are read at each use.
public struct CredentialFiles: Plugin {
  private let folders: [CredentialFolder]

  /// The credentials of one folder.
  public init(in folder: String) { folders = [CredentialFolder(path: folder, isSystem: false)] }

  private init(_ folders: [CredentialFolder]) { self.folders = folders }

  /// The credentials in `$CREDENTIALS_DIRECTORY`, and then those in `lupine/credentials` of `$XDG_CONFIG_HOME`, by
  /// default `~/.config`.
  public static var standard: CredentialFiles { standard { SystemEnvironment.variable($0) } }

  /// - Parameter variable: returns a variable of the environment.
  static func standard(_ variable: (String) -> String?) -> CredentialFiles {
    var folders: [CredentialFolder] = []
    if let path = variable("CREDENTIALS_DIRECTORY") {
      folders.append(CredentialFolder(path: path, isSystem: true))
    }
    let home = variable("HOME").map { "\($0)/.config" }
    if let settings = variable("XDG_CONFIG_HOME") ?? home {
      folders.append(CredentialFolder(path: "\(settings)/lupine/credentials", isSystem: false))
    }
    return CredentialFiles(folders)
  }

  /// Adds an adapter for tokens, and the answers to challenges.
  public func install(in builder: inout Session.Builder) {
    builder = builder.adapter(CredentialFileAdapter(files: self)).onChallenge { request in
      guard request.previousFailureCount == 0, let name = request.name else { return nil }
      guard case .login(let credential) = try await find(name) else { return nil }
      let isProved = request.challenges.first?.scheme.lowercased() == "digest"
      guard isProved || request.url.hidesSecrets else { throw Self.refusal("password", name) }
      return credential
    }
  }

  fileprivate static func refusal(_ secret: String, _ name: String) -> LupineError {
    LupineError(
      .adaptationFailed,
      "The \(secret) of the credential \(name.debugDescription) is not sent without TLS; use an https URL.")
  }

  /// The credential with this name; `nil` if there is no such file.
  func find(_ name: String) async throws(LupineError) -> CredentialFolder.Content? {
    try await BlockingWork.run { () throws(LupineError) in
      for folder in folders { if let found = try folder.read(name) { return found } }
      return nil
    }
  }
}

/// Adds the token of a file to the requests that name it.
private struct CredentialFileAdapter: RequestAdapter {
  let files: CredentialFiles

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard let name = request.options[CredentialName.self], request.headers[.authorization] == nil,
      case .token(let token) = try await files.find(name)
    else { return request }
    guard request.url.hidesSecrets else { throw CredentialFiles.refusal("token", name) }
    var request = request
    request.headers[.authorization] = "Bearer \(token)"
    return request
  }
}

extension HTTPURL {
  /// Whether no one on the way can read a request to it.
  fileprivate var hidesSecrets: Bool { scheme == .https || isLoopback }
}
