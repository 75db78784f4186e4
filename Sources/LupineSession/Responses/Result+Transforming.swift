package import HTTPTypes
package import LupineCore

/// What `DataResponse` and `DownloadResponse` do with their results.
extension Result where Failure == LupineError {
  /// The result with its value changed; what the closure throws becomes kind `serializationFailed`, about this request.
  package func tryMap<New>(
    about request: OutgoingRequest?, _ head: HTTPResponse?, _ transform: (Success) throws -> New
  ) -> Result<New, LupineError> {
    flatMap { value in
      do {
        return .success(try transform(value))
      } catch {
        let message = "The value could not be transformed: \(error)."
        return .failure(Self.wrapping(error, .serializationFailed, message, request, head))
      }
    }
  }

  /// The result with its error changed; what the closure throws becomes kind `other`, about this request.
  package func tryMapError(
    about request: OutgoingRequest?, _ head: HTTPResponse?, _ transform: (LupineError) throws -> LupineError
  ) -> Self {
    mapError { error in
      do {
        return try transform(error)
      } catch let thrown {
        return Self.wrapping(thrown, .other, "The error could not be transformed: \(thrown).", request, head)
      }
    }
  }

  private static func wrapping(
    _ error: any Error, _ kind: LupineError.Kind, _ message: String, _ request: OutgoingRequest?, _ head: HTTPResponse?
  ) -> LupineError {
    var wrapped = error as? LupineError ?? LupineError(kind, message, underlying: error)
    if let request { wrapped = wrapped.about(request.summary) }
    if let head { wrapped = wrapped.about(head) }
    return wrapped
  }
}
