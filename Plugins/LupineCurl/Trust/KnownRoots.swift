import LupineCore

/// The root certificates that have been read, which outlive the connections that were judged by them: reading the
/// system's takes longer than ten handshakes.
///
/// They are asked for once for each handshake, and looking whether a file has changed costs one `stat` a file.
struct KnownRoots {
  private struct Entry {
    let files: RootFiles
    let versions: [FileVersion?]
    let roots: TrustedRoots
  }

  /// How many are kept of a program that names ever other files.
  private static let room = 8
  /// The one that was asked for last is the last.
  private var entries: [Entry] = []

  /// The roots in these files, read again where a file is not the one that was read any more.
  ///
  /// Where one of the files is missing, or may not be read, what was read last stays: a file that is being replaced is
  /// away for a moment. A file that is there without a certificate is an error, and what was read before is forgotten.
  ///
  /// - Throws: `LupineError` of kind `configuration` where a file has to be read, and cannot be.
  mutating func roots(in files: RootFiles) throws(LupineError) -> TrustedRoots {
    // Before they are read, so that a change in between shows the next time.
    let versions = files.versions
    let known = entries.firstIndex { $0.files == files }.map { entries.remove(at: $0) }
    if let known, known.versions == versions || !files.areReadable { return keep(known) }
    do throws(LupineError) {
      return keep(Entry(files: files, versions: versions, roots: try files.read()))
    } catch {
      // It may have gone between the look and the reading.
      if let known, !files.areReadable { return keep(known) }
      throw error
    }
  }

  private mutating func keep(_ entry: Entry) -> TrustedRoots {
    if entries.count == Self.room { entries.removeFirst() }
    entries.append(entry)
    return entry.roots
  }
}
