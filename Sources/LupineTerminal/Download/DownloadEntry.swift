#if Terminal
  import LupineCore
  import LupineTransfers

  /// A file to download.
  struct DownloadEntry: Sendable {
    let url: HTTPURL
    let digest: ExpectedDigest?

    /// - Throws: `CommandFailure` or `LupineError` if the URL or the digest is invalid.
    init(_ url: String, digest: String? = nil) throws {
      if let digest, !Self.isSHA256(digest) {
        throw CommandFailure(
          "The digest of \(url.debugDescription) does not have 64 hexadecimal digits. Take the SHA-256 digest of its source.",
          .usage)
      }
      self.url = try HTTPURL(try RequestLine.url(url))
      self.digest = digest.map { .sha256($0) }
    }

    /// Reads a list of URLs from a file, or from the standard input (`-`).
    static func read(_ path: String) throws -> [DownloadEntry] {
      let text = path == "-" ? try StandardInput.text() : try InputFiles.text(path, .fileFailed)
      return try text.split(whereSeparator: \.isNewline).compactMap { line in
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let url = words.first, !url.hasPrefix("#") else { return nil }
        guard words.count <= 2 else {
          throw CommandFailure(
            "A line of \(path) has more than a URL and a digest: \(line.debugDescription). Write one file a line.",
            .usage)
        }
        return try DownloadEntry(url, digest: words.dropFirst().first)
      }
    }

    /// Whether the text has 64 hexadecimal digits.
    static func isSHA256(_ text: String) -> Bool {
      text.utf8.count == 64
        && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }

    /// The name of the file that keeps the state of the download for a later run; the same for each run.
    var checkpointName: String {
      // FNV-1a. If two URLs had the same name, the second download would have no checkpoint.
      let hash = url.string.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      return ".lupine-\(String(hash, radix: 16)).checkpoint"
    }
  }
#endif
