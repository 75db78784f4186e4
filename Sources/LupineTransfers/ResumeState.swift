import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The state that resumes an interrupted download; programs store it as an opaque value.
///
/// The version number identifies the layout, which may change in later releases.
struct ResumeState: Codable, Sendable, Hashable {
  static let currentVersion = 1

  var version = Self.currentVersion
  /// The URL of the request, not that of the last redirect: no secret may be sent to the origin of a redirect.
  ///
  /// The URL may hold a token, so this value is as secret as the URL.
  var url: String
  /// The unfinished file.
  var partialPath: String
  /// The length of the partial file in bytes when the download was interrupted; `nil` if it was not recorded, and then
  /// the actual length counts.
  var offset: Int64?
  /// The length of the whole file, if it is known.
  var total: Int64?
  var validator: EntityValidator
  /// The name that the program gave to the file, whatever its URL; `nil` if it gave none.
  var identity: String?
  /// The destination of the download; `nil` for a temporary file.
  var path: String?
  var options: DownloadDestination.Options
  /// The partial file of an earlier version, kept until the server's new version is accepted or can be continued.
  var superseded: Superseded?

  struct Superseded: Codable, Sendable, Hashable {
    var path: String
    var validator: EntityValidator
    var total: Int64?
  }

  var destination: DownloadDestination { path.map { .file($0, options) } ?? .temporary }

  /// Whether the state belongs to a file with this URL, or with this name if the program gives one.
  func isOf(_ url: HTTPURL?, _ identity: String?) -> Bool {
    if let identity, let own = self.identity { return own == identity }
    return self.url == url?.string
  }

  /// Whether a download can continue any of the partial files.
  var isOfUse: Bool { PartialFile.exists(partialPath) || superseded.map { PartialFile.exists($0.path) } ?? false }

  func removeSuperseded() {
    if let superseded { PartialFile.reopen(superseded.path, length: nil)?.remove() }
  }

  /// Opens the partial file, or that of the earlier version if the process ended before a byte of the new one arrived.
  func reopen() -> DownloadState.Beginning? {
    let latest = PartialFile.reopen(partialPath, length: offset)
    if latest.map({ $0.length == 0 }) ?? true, let superseded,
      let earlier = PartialFile.reopen(superseded.path, length: nil), earlier.length > 0
    {
      latest?.remove()
      return DownloadState.Beginning(partial: earlier, validator: superseded.validator, total: superseded.total)
    }
    guard let latest else { return nil }
    removeSuperseded()
    return DownloadState.Beginning(partial: latest, validator: validator, total: total)
  }

  /// The number of bytes that a download can continue after; `nil` if it must begin again.
  ///
  /// The file is opened, not read, and no lock is taken.
  var provenLength: Int64? {
    let present = PartialFile.length(at: partialPath)
    if present ?? 0 == 0, let superseded, let earlier = PartialFile.length(at: superseded.path), earlier > 0 {
      return earlier
    }
    guard let present, present >= offset ?? 0 else { return nil }
    return offset ?? present
  }

  func encoded() -> Data? { try? JSONEncoder().encode(self) }

  init(
    url: String, partialPath: String, offset: Int64?, total: Int64?, validator: EntityValidator, identity: String?,
    path: String?, options: DownloadDestination.Options, superseded: Superseded?
  ) {
    self.url = url
    self.partialPath = partialPath
    self.offset = offset
    self.total = total
    self.validator = validator
    self.identity = identity
    self.path = path
    self.options = options
    self.superseded = superseded
  }

  init(decoding data: Data) throws(LupineError) {
    do {
      let version = try JSONDecoder().decode(Version.self, from: data).version
      guard version == Self.currentVersion else {
        throw LupineError(
          .resumeFailed,
          "These resume data have version \(version); this release supports version \(Self.currentVersion).")
      }
      self = try JSONDecoder().decode(ResumeState.self, from: data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.resumeFailed, "The data are not resume data of this library.", underlying: error)
    }
  }

  /// Only the version number, read first because another version may have another layout.
  private struct Version: Decodable {
    let version: Int
  }
}

/// The policy for an interrupted download whose rest cannot be obtained.
///
/// The policy is set with resume data, with a checkpoint, or with automatic resumption. `fail` applies to the whole
/// download, wherever it was set.
public enum ResumePolicy: Sendable, Hashable {
  /// The download restarts.
  ///
  /// The old partial file stays until the new file is accepted or can itself be resumed.
  case restart
  /// The download fails with kind `resumeFailed`; the partial file and its checkpoint stay unchanged.
  case fail
}

/// A strong validator that distinguishes two versions of a file: a strong entity tag, or a `Last-Modified` date that is
/// old enough (RFC 9110 sections 8.8 and 13.1.5).
struct EntityValidator: Sendable, Hashable, Codable {
  /// The value for `If-Range`.
  let value: String

  /// Returns `nil` if the response has no strong validator, or is a part that ranges do not continue.
  init?(_ head: HTTPResponse) {
    guard head.headerFields[.contentEncoding] == nil,
      head.headerFields[.acceptRanges]?.lowercased() != "none"
    else { return nil }
    if head.headerFields.contains(.eTag) {
      guard let tag = head.headerFields.singleton(.eTag), Self.isStrong(tag) else { return nil }
      value = tag
    } else if let modified = head.headerFields.singleton(.lastModified), Self.isOld(modified, in: head) {
      value = modified
    } else {
      return nil
    }
  }

  /// Whether a part belongs to the same version; the part must repeat the tag, but not the date (RFC 9110 section
  /// 15.3.7).
  func agrees(with head: HTTPResponse) -> Bool {
    if value.hasPrefix("\"") { return head.headerFields.singleton(.eTag) == value }
    return head.headerFields[values: .lastModified].allSatisfy { $0 == value }
  }

  /// Whether the text is one strong entity tag (RFC 9110 section 8.8.3).
  private static func isStrong(_ tag: String) -> Bool {
    tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"") && !tag.dropFirst().dropLast().contains("\"")
  }

  /// Whether the file had been unchanged for a second when it was sent; two versions may have the same more recent date
  /// (RFC 9110 section 8.8.2.2).
  private static func isOld(_ modified: String, in head: HTTPResponse) -> Bool {
    // The current time matters only for two-digit years.
    let now = Date()
    guard let sent = head.headerFields.singleton(.date).flatMap({ HTTPDate.parse($0, now: now) }),
      let changed = HTTPDate.parse(modified, now: now)
    else { return false }
    return sent.timeIntervalSince(changed) >= 1
  }
}
