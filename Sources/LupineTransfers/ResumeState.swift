import FoundationEssentials
import LupineCore

/// What an interrupted download needs to go on; stored by programs as an opaque value.
///
/// The version tells apart what later releases add, such as downloads that outlive the program.
struct ResumeState: Codable, Sendable, Hashable {
  static let currentVersion = 1

  var version = Self.currentVersion
  /// The URL that was described, not that of the last redirect, to whose origin no secret may go.
  ///
  /// It may hold a token: the value is as secret as the URL.
  var url: String
  /// The unfinished file.
  var partialPath: String
  /// Its length in bytes when the download broke off; `nil` where nobody could note it, and the file's own counts.
  var offset: Int64?
  /// The length of the whole, where it is known.
  var total: Int64?
  var validator: EntityValidator
  /// Where the download was to go; `nil` for a temporary file.
  var path: String?
  var options: DownloadDestination.Options
  /// What there was of another version of the file, kept until this one was accepted; of no use once it is gone on with.
  var superseded: Superseded?

  struct Superseded: Codable, Sendable, Hashable {
    var path: String
    var validator: EntityValidator
    var total: Int64?
  }

  var destination: DownloadDestination { path.map { .file($0, options) } ?? .temporary }

  /// Whether a download can go on with any of it.
  var isOfUse: Bool { PartialFile.exists(partialPath) || superseded.map { PartialFile.exists($0.path) } ?? false }

  func removeSuperseded() {
    if let superseded { PartialFile.reopen(superseded.path, length: nil)?.remove() }
  }

  /// What there is of the file; of another version, where a program was killed before it had a byte of this one.
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

  func encoded() -> Data? { try? JSONEncoder().encode(self) }

  init(
    url: String, partialPath: String, offset: Int64?, total: Int64?, validator: EntityValidator, path: String?,
    options: DownloadDestination.Options, superseded: Superseded?
  ) {
    self.url = url
    self.partialPath = partialPath
    self.offset = offset
    self.total = total
    self.validator = validator
    self.path = path
    self.options = options
    self.superseded = superseded
  }

  init(decoding data: Data) throws(LupineError) {
    do {
      let version = try JSONDecoder().decode(Version.self, from: data).version
      guard version == Self.currentVersion else {
        throw LupineError(
          .resumeFailed, "These resume data have version \(version); this release knows \(Self.currentVersion).")
      }
      self = try JSONDecoder().decode(ResumeState.self, from: data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.resumeFailed, "These are no resume data of this library.", underlying: error)
    }
  }

  /// All that is read before it is known that the rest can be, for another version may have another layout.
  private struct Version: Decodable {
    let version: Int
  }
}

/// What happens when the rest of an interrupted download cannot be had.
///
/// It is chosen where resume data or a checkpoint are given, and where a download is told to go on by itself; `fail` holds
/// for the whole download, wherever it was chosen.
public enum ResumePolicy: Sendable, Hashable {
  /// The download begins anew; what there was of the file stays until the new one has been accepted, or can itself be
  /// gone on with.
  case restart
  /// The download fails with kind `resumeFailed`; what there was of the file, and its checkpoint, stay as they were.
  case fail
}
