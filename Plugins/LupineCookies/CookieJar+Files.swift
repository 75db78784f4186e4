public import FoundationEssentials
import Glibc
public import LupineCore
import LupineSupport

extension CookieJar {
  /// Writes the cookies to a file that only its owner can read, and replaces an existing file atomically.
  ///
  /// - Parameters:
  ///   - path: the file's path; its folder must exist.
  ///   - includesSessionCookies: whether to write session cookies, too. Default: no.
  /// - Throws: `LupineError` of kind `fileFailed`.
  public func save(to path: String, includesSessionCookies: Bool = false) throws(LupineError) {
    let kept = cookies.filter { includesSessionCookies || !$0.isSessionCookie }
    let data: Data
    do {
      data = try JSONEncoder().encode(CookieFile(cookies: kept))
    } catch {
      throw LupineError(.fileFailed, "The cookies cannot be written as JSON.", underlying: error)
    }
    // The data is written to a temporary file in the same folder, so that the destination is always complete.
    let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("cannot be created", draft) }
    var failure = Self.write(data, to: descriptor)
    if failure == nil, rename(draft, path) != 0 { failure = errno }
    guard let failure else { return }
    unlink(draft)
    throw Self.failure("cannot be written", path, failure)
  }

  /// Adds the cookies of a file that `save` wrote, except expired ones.
  ///
  /// - Throws: `LupineError` of kind `fileFailed` if the file cannot be read or has another format.
  public func load(from path: String, now: Date = Date()) throws(LupineError) {
    let file: CookieFile
    let source = try OpenFile(reading: path, orFailAs: .fileFailed)
    let data = try source.data(count: try source.size())
    do {
      file = try JSONDecoder().decode(CookieFile.self, from: data)
    } catch {
      throw LupineError(.fileFailed, "The cookies in \(path) cannot be read.", underlying: error)
    }
    guard file.version == CookieFile.currentVersion else {
      let isLater = file.version > CookieFile.currentVersion
      throw LupineError(
        .fileFailed,
        "The cookies in \(path) are of version \(file.version), which "
          + (isLater ? "a later release of Lupine wrote." : "no release of Lupine writes."))
    }
    restore(file.cookies.filter { $0.isSound(limits) && !$0.isExpired(at: now) }, now: now)
  }

  /// Returns the `errno` of the failure; `nil` if all data is on disk.
  private static func write(_ data: Data, to descriptor: Int32) -> Int32? {
    defer { close(descriptor) }
    if let error = data.withUnsafeBytes({ $0.write(to: descriptor) }) { return error }
    return fsync(descriptor) == 0 ? nil : errno
  }

  private static func failure(_ what: String, _ path: String, _ number: Int32 = errno) -> LupineError {
    LupineError.file(
      path, code: number, message: "The file of cookies \(path) \(what): \(String(cString: strerror(number))).")
  }
}

/// The content of a cookie file.
private struct CookieFile: Codable {
  static let currentVersion = 1

  let version: Int
  /// The cookies; empty if the version is unknown.
  let cookies: [Cookie]

  init(cookies: [Cookie]) {
    version = Self.currentVersion
    self.cookies = cookies
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    cookies = version == Self.currentVersion ? try container.decode([Cookie].self, forKey: .cookies) : []
  }

  private enum CodingKeys: CodingKey {
    case version, cookies
  }
}

extension Cookie {
  /// Whether a server could have set the cookie; the file may have been edited.
  fileprivate func isSound(_ limits: CookieLimits) -> Bool {
    let isClean = (name + value + path).utf8.allSatisfy { $0.isFieldByte && $0 != 0x3B }
    let isShared = isHostOnly || !PublicSuffixes.contain(domain)
    return isClean && !name.contains("=") && isShared && name.utf8.count + value.utf8.count <= limits.cookie
  }
}
