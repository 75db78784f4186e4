import FoundationEssentials
import HTTPTypes

extension OutgoingRequest {
  /// Refuses a body where RFC 9110 gives it no meaning (sections 9.3.1, 9.3.2 and 9.3.8).
  func checkBodyAllowed(for what: String) throws(LupineError) {
    guard [.get, .head, .trace].contains(method) else { return }
    throw LupineError(
      .invalidRequest,
      "\(what) cannot go with \(method.rawValue). Use POST, PUT or PATCH, or put the parameters into the query with "
        + "'.urlEncodedForm(destination: .queryString)'.")
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
