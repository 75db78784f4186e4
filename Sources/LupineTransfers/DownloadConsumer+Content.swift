import LupineCore
import LupineFoundation
import LupineSession

/// Gives the content of the complete file to serializers, and discards a file that one of them refuses.
extension DownloadConsumer {
  /// Reads the file into memory: the partial file before the request ends, and the file at its destination afterwards.
  ///
  /// - Throws: kind `limitExceeded` if the file is larger than the limit, `fileFailed` if it cannot be read.
  func load(_ response: ReceivedResponse, in session: Session) async throws(LupineError) -> ReceivedResponse {
    let limit = session.limits.responseBody
    let (partial, path) = (completePartial, file?.path)
    let data = try await BlockingWork.run { () throws(LupineError) -> Data? in
      // The open file is read, because another program could replace the one at the path.
      if let partial { return try partial.data(count: Self.checked(partial.length, limit: limit)) }
      guard let path else { return nil }
      let file = try OpenFile(reading: path, orFailAs: .fileFailed)
      return try file.data(count: Self.checked(file.size(), limit: limit))
    }
    guard let data else { return response }
    var response = response
    response.data = data
    return response
  }

  func discardResponse() async {
    try? await change { (state) throws(LupineError) in
      // A response without a file, such as 204, leaves an earlier partial file as it was.
      if state.exchange.isInFile { state.discard() }
    }
  }

  private static func checked(_ size: Int64, limit: Int64) throws(LupineError) -> Int64 {
    guard size <= limit else {
      throw LupineError(
        .limitExceeded(.responseBody),
        "The downloaded file has \(size) bytes, and at most \(limit) bytes are read into memory (limit responseBody). "
          + "Raise the limit on the builder, or use `serializingFile()`.")
    }
    return size
  }
}
