import FoundationEssentials
import LupineCore
import LupineSession

/// A file that was downloaded, for serializers, which take it whole.
struct DownloadedFile {
  let url: URL

  /// The file's bytes.
  ///
  /// - Throws: kind `limitExceeded` where there are more than the limit, `fileFailed` where they cannot be read. The file
  ///   stays.
  func bytes(limit: Int64) throws(LupineError) -> Data {
    let file = try OpenFile(reading: url.path, orFailAs: .fileFailed)
    let size = try file.size()
    guard size <= limit else {
      throw LupineError(
        .limitExceeded(.responseBody),
        "The file \(url.path) has \(size) bytes, more than the \(limit) that are read into memory, the limit "
          + "responseBody; raise it on the builder, or take the file itself with `serializingFile()`.")
    }
    return try file.data(count: size)
  }
}

extension Serialization {
  /// Serializes a downloaded file off the caller's actor; the file is read into the response's data.
  @concurrent
  static func fileResponse<Value: Sendable>(
    from outcome: Outcome, with serializer: any ResponseSerializer<Value>, of task: RequestExecution
  ) async -> DownloadResponse<Value> {
    let limit = task.session.configuration.limits.responseBody
    let (result, _) = measured(outcome, of: task, serializer) { response in
      if let url = outcome.file { response.data = try DownloadedFile(url: url).bytes(limit: limit) }
      return try serializer.serialize(response)
    }
    return DownloadResponse(outcome, result, of: task)
  }
}
