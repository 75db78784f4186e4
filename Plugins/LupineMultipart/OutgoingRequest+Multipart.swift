import HTTPTypes
public import LupineCore
import LupineSupport

extension OutgoingRequest {
  /// Returns the request with a multipart as its body.
  ///
  /// The `Content-Type` is the multipart's. If the caller set one, it is kept, and the boundary is added if it names
  /// none.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if a part is invalid, if the caller's `Content-Type` names
  ///   another boundary, or if the method is HEAD or TRACE, or GET without the option `allowsBodyWithGET`.
  public func encoding(multipart: some MultipartConvertible) throws(LupineError) -> OutgoingRequest {
    try RequestRules.checkBodyAllowed(in: self)
    let multipart = multipart.multipart
    var request = self
    request.body = try multipart.asBody()
    request.headers[.contentType] = try Self.contentType(of: multipart, given: headers[.contentType])
    return request
  }

  private static func contentType(of multipart: Multipart, given: String?) throws(LupineError) -> String {
    guard let given else { return multipart.contentType }
    guard let boundary = MediaTypeText.parameter("boundary", of: given) else {
      return "\(given); boundary=\(multipart.boundary.tokenOrQuotedString)"
    }
    guard boundary == multipart.boundary else {
      throw LupineError(
        .invalidRequest,
        "The request's Content-Type names another boundary than its multipart body has; leave it out of the field.")
    }
    return given
  }
}
