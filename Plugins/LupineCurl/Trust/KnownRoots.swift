import LupineCore

/// The root certificates that have been read, which outlive the connections that were judged by them: reading the
/// system's takes longer than ten handshakes.
struct KnownRoots {
  private struct Entry {
    let files: RootFiles
    let roots: TrustedRoots
    let readAt: UInt64
  }

  /// For how long files are not read again, in nanoseconds: a day, after which a certificate that was withdrawn from them
  /// is trusted no more.
  ///
  /// libcurl's own cache does the same.
  private static let lifetime: UInt64 = 86_400_000_000_000
  /// How many are kept of a program that names ever other files.
  private static let room = 8
  /// The one that was asked for last is the last.
  private var entries: [Entry] = []

  /// The roots in these files, at a moment of the monotonic clock.
  ///
  /// - Throws: `LupineError` of kind `configuration` where a file has to be read, and cannot be.
  mutating func roots(in files: RootFiles, at now: UInt64) throws(LupineError) -> TrustedRoots {
    let index = entries.firstIndex { $0.files == files }
    if let known = index.map({ entries.remove(at: $0) }), now - known.readAt < Self.lifetime {
      entries.append(known)
      return known.roots
    }
    let roots = try files.read()
    if entries.count == Self.room { entries.removeFirst() }
    entries.append(Entry(files: files, roots: roots, readAt: now))
    return roots
  }
}
