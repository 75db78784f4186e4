import FoundationEssentials

/// Reads files of certificates, keys and revocation lists.
enum FileContent {
  /// - Throws: `CertificateError` if the file cannot be read.
  static func read(_ path: String) throws(CertificateError) -> Data {
    do { return try Data(contentsOf: URL(filePath: path)) } catch {
      throw CertificateError(
        "the file cannot be read (\((error as? CocoaError)?.code.rawValue.description ?? "\(error)"))")
    }
  }
}
