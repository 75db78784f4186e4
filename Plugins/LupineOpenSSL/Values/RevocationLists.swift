import COpenSSL
public import FoundationEssentials

/// Certificate revocation lists (RFC 5280 section 5) from files, and what could not be read of them.
public struct RevocationLists: Sendable, Hashable {
  /// The lists, in DER.
  public let lists: [Data]
  /// What could not be read, and why.
  public let problems: [String]

  /// No lists.
  public static let none = RevocationLists(lists: [], problems: [])

  init(lists: [Data], problems: [String]) {
    self.lists = lists
    self.problems = problems
  }

  /// Reads a file in PEM or DER.
  public static func file(_ path: String) -> RevocationLists {
    do throws(CertificateError) {
      let bytes = try FileContent.read(path)
      let lists = CertificateReader.isPEM(bytes) ? try PEMInfos(bytes).revocationLists : [bytes]
      guard !lists.isEmpty, lists.allSatisfy({ RevocationListHandle(der: $0) != nil }) else {
        throw CertificateError("there is no revocation list in it that can be read")
      }
      return RevocationLists(lists: lists, problems: [])
    } catch {
      return RevocationLists(lists: [], problems: ["\(path): \(error)"])
    }
  }

  /// Both sides' lists.
  public static func + (left: RevocationLists, right: RevocationLists) -> RevocationLists {
    RevocationLists(lists: left.lists + right.lists, problems: left.problems + right.problems)
  }
}
