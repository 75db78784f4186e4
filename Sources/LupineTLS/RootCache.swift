import COpenSSL
public import LupineCore
import LupineX509

/// Caches root certificates across connections.
///
/// Reading the system's file takes longer than ten handshakes. Each handshake checks with one `stat` per file whether
/// the file has changed, and with one per folder of `SSL_CERT_DIR`.
public struct RootCache {
  private struct Entry {
    let files: RootFiles
    let versions: [FileVersion?]
    let roots: TrustedRoots
  }

  /// The maximum number of entries.
  private static let capacity = 8
  /// The entries in the order of their last use, the most recent one last.
  private var entries: [Entry] = []

  /// Creates an empty cache.
  public init() {}

  /// Returns the roots in these files, and reads the files again if one of them has changed.
  ///
  /// While one of the files is missing or unreadable, the roots that were read last stay valid: a file that is being
  /// replaced may be absent for a moment. A readable file without a certificate is an error, and removes the entry.
  ///
  /// - Throws: `LupineError` of kind `configuration` if a file must be read and cannot be.
  public mutating func roots(in files: RootFiles) throws(LupineError) -> TrustedRoots {
    // Determined before the files are read, so that the next call detects a change during the reading.
    let versions = files.versions
    let cached = entries.firstIndex { $0.files == files }.map { entries.remove(at: $0) }
    if let cached, cached.versions == versions || !files.areReadable { return store(cached) }
    do throws(LupineError) {
      return store(Entry(files: files, versions: versions, roots: try files.read()))
    } catch {
      // A file may have been removed after its version was determined.
      if let cached, !files.areReadable { return store(cached) }
      throw error
    }
  }

  private mutating func store(_ entry: Entry) -> TrustedRoots {
    if entries.count == Self.capacity { entries.removeFirst() }
    entries.append(entry)
    return entry.roots
  }
}

/// The root certificates of a set of files, read once for all handshakes of the connection keys that use these files.
///
/// The store is separate from libcurl's. libcurl would share a store that the callback changes with other connections,
/// and it frees its own store with the multi handle.
public final class TrustedRoots {
  private let ownedStore: RootStore
  /// Identifies these roots, and distinguishes them from former contents of the same files.
  private let identifier = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

  var store: OpaquePointer? { ownedStore.pointer }

  /// - Throws: `LupineError` of kind `configuration` if a file cannot be read.
  init(_ files: [String], _ folders: [String]) throws(LupineError) {
    do throws(RootsUnreadable) { ownedStore = try RootStore(files: files, folders: folders) } catch {
      throw LupineError.unusable(CertificateBundle.part, "No server certificate can be verified: \(error.description).")
    }
  }

  /// Makes OpenSSL store the identifier in each session of this context; false on failure.
  func setIdentifier(on context: OpaquePointer) -> Bool {
    SSL_CTX_set_session_id_context(context, identifier, UInt32(identifier.count)) == 1
  }

  /// Makes OpenSSL store the identifier in each session of this connection; false on failure.
  func setIdentifier(onConnection connection: OpaquePointer) -> Bool {
    SSL_set_session_id_context(connection, identifier, UInt32(identifier.count)) == 1
  }

  /// Whether a handshake with exactly these roots created the session.
  func haveVerified(_ session: OpaquePointer) -> Bool {
    var count: UInt32 = 0
    let bytes = SSL_SESSION_get0_id_context(session, &count)
    return identifier.elementsEqual(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
