import FoundationEssentials

/// Reads the files that certificates, keys and lists are kept in.
enum FileContent {
  /// - Throws: `CertificateError` where the file cannot be read.
  static func read(_ path: String) throws(CertificateError) -> Data {
    do { return try Data(contentsOf: URL(filePath: path)) } catch {
      throw CertificateError(
        "the file cannot be read (\((error as? CocoaError)?.code.rawValue.description ?? "\(error)"))")
    }
  }
}
