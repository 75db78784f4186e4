import FoundationEssentials
import HTTPTypes
public import LupineCore

extension OutgoingRequest {
  /// Returns the request with a body that is set before its options are: whether a GET may have one is checked when it is
  /// sent.
  public func beforeOptions(
    _ encode: (OutgoingRequest) throws(LupineError) -> OutgoingRequest
  ) throws(LupineError) -> OutgoingRequest {
    var request = self
    request.options.allowsBodyWithGET = true
    request = try encode(request)
    request.options.allowsBodyWithGET = options.allowsBodyWithGET
    return request
  }

  /// Sets the body, and its media type where the caller named none.
  mutating func setBody(_ data: Data, contentType: String) {
    body = .bytes(data)
    if headers[.contentType] == nil { headers[.contentType] = contentType }
  }
}

extension LupineError {
  /// Runs an encoder; what it throws that is none of ours becomes the cause of a `parameterEncodingFailed`.
  static func encodingParameters<Result>(_ encode: () throws -> Result) throws(LupineError) -> Result {
    do {
      return try encode()
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(
        .parameterEncodingFailed, "The parameters could not be encoded; the underlying error says why.",
        underlying: error)
    }
  }
}
