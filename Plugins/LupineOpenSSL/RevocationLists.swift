import COpenSSL
public import LupineFoundation
import LupineX509

/// Certificate revocation lists (RFC 5280 section 5) from files, and the problems with reading them.
public struct RevocationLists: Sendable, Hashable {
  /// The items that cannot be read, with the reasons.
  public let problems: [String]
  /// The parsed lists, kept so that handshakes do not parse them again.
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

  /// Returns the lists and the problems of both sides.
  public static func + (left: RevocationLists, right: RevocationLists) -> RevocationLists {
    RevocationLists(left.handles + right.handles, problems: left.problems + right.problems)
  }
}

/// Owns one of OpenSSL's certificate revocation lists.
///
/// `@unchecked Sendable`: nothing changes the list after parsing, except that OpenSSL sorts the entries before the
/// first lookup, under the list's own lock.
final class RevocationListHandle: @unchecked Sendable {
  let der: Data
  let pointer: OpaquePointer

  /// Parses a list; nil if the bytes are not exactly one list in DER.
  init?(der: Data) {
    guard let parsed = DER.read(der, by: { d2i_X509_CRL(nil, $0, $1) }, free: { X509_CRL_free($0) }) else { return nil }
    self.der = der
    pointer = parsed
  }

  deinit { X509_CRL_free(pointer) }
}

extension RevocationListHandle: Hashable {
  static func == (left: RevocationListHandle, right: RevocationListHandle) -> Bool { left.der == right.der }

  func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
