import COpenSSL
public import FoundationEssentials

/// Certificate revocation lists (RFC 5280 section 5) from files, and what could not be read of them.
public struct RevocationLists: Sendable, Hashable {
  /// What could not be read, and why.
  public let problems: [String]
  /// What OpenSSL has read, once and not in every handshake: lists can have megabytes.
  let handles: [RevocationListHandle]

  /// The lists, in DER.
  public var lists: [Data] { handles.map(\.der) }

  /// No lists.
  public static let none = RevocationLists([], problems: [])

  init(_ handles: [RevocationListHandle], problems: [String]) {
    self.handles = handles
    self.problems = problems
  }

  /// Reads a file in PEM or DER.
  public static func file(_ path: String) -> RevocationLists {
    do throws(CertificateError) {
      let bytes = try FileContent.read(path)
      let lists = CertificateReader.isPEM(bytes) ? try PEMInfos(bytes).revocationLists : [bytes]
      let handles = lists.compactMap { RevocationListHandle(der: $0) }
      guard !lists.isEmpty, handles.count == lists.count else {
        throw CertificateError("there is no revocation list in it that can be read")
      }
      return RevocationLists(handles, problems: [])
    } catch {
      return RevocationLists([], problems: ["\(path): \(error)"])
    }
  }

  /// Both sides' lists.
  public static func + (left: RevocationLists, right: RevocationLists) -> RevocationLists {
    RevocationLists(left.handles + right.handles, problems: left.problems + right.problems)
  }
}
