import FoundationEssentials
import LupineCore
import LupineSession

/// A downloaded file that serializers read as a whole.
struct DownloadedFile {
  let url: URL

  /// Returns the file's bytes; the file is not removed.
  ///
  /// - Throws: kind `limitExceeded` if the file is larger than the limit, `fileFailed` if it cannot be read.
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
