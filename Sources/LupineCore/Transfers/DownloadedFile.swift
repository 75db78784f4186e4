import FoundationEssentials
import Glibc

/// A file that was downloaded, for serializers, which take it whole.
struct DownloadedFile {
  let url: URL

  /// The file's bytes.
  ///
  /// - Throws: kind `limitExceeded` where there are more than the limit, `fileFailed` where they cannot be read. The file
  ///   stays.
  func bytes(limit: Int64) throws(LupineError) -> Data {
    var status = stat()
    guard stat(url.path, &status) == 0 else {
      throw LupineError(.fileFailed, "The file \(url.path) cannot be examined: \(String(cString: strerror(errno))).")
    }
    guard status.st_size <= limit else {
      throw LupineError(
        .limitExceeded(.responseBody),
        "The file \(url.path) has \(status.st_size) bytes, more than the \(limit) that are read into memory, the limit "
          + "responseBody; raise it on the builder, or take the file itself with `serializingFile()`.")
    }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw LupineError(.fileFailed, "The file \(url.path) cannot be read: \(error).", underlying: error)
    }
  }
}
