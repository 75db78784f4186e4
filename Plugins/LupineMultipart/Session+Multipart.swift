public import HTTPTypes
import LupineCoding
public import LupineCore
public import LupineSession
import LupineSupport

extension Session {
  /// Uploads a form whose parts the closure appends.
  ///
  /// Each part is read while it is sent: memory use is constant, and no temporary file is written. `uploadProgress`
  /// counts the bytes of the encoded form. The boundary comes from the session's random source.
  ///
  /// - Parameters:
  ///   - build: appends the parts; an error that it throws becomes the request's error.
  ///   - url: the target; a relative reference is appended to the base URL.
  ///   - method: the request's method. Default: POST.
  ///   - headers: fields in addition to the session's. A `Content-Type` among them is kept, with the boundary of the
  ///     form.
  public func upload(
    multipart build: (inout MultipartFormData) throws -> Void, to url: some URLConvertible,
    method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders()
  ) -> UploadRequest {
    let form = Result {
      var form = MultipartFormData(random: random)
      try build(&form)
      return form.multipart
    }
    return upload(MultipartUpload(multipart: form, url: url, method: method, headers: headers))
  }

  /// Uploads a form, or a multipart of any other type.
  public func upload(
    multipart: some MultipartConvertible, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: RequestHeaders = RequestHeaders()
  ) -> UploadRequest {
    upload(MultipartUpload(multipart: .success(multipart.multipart), url: url, method: method, headers: headers))
  }
}

extension OutgoingRequest {
  /// Returns the request with a multipart as its body.
  ///
  /// The `Content-Type` is the multipart's. If the caller set one, it is kept, and its boundary is replaced by that of
  /// the multipart.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if a part is invalid, or if the method is HEAD or TRACE, or GET
  ///   without the option `allowsBodyWithGET`.
  public func encoding(multipart: some MultipartConvertible) throws(LupineError) -> OutgoingRequest {
    try RequestRules.checkBodyAllowed(in: self)
    let multipart = multipart.multipart
    var request = self
    request.body = try multipart.asBody()
    request.headers[.contentType] = Self.contentType(of: multipart, given: headers[.contentType])
    return request
  }

  private static func contentType(of multipart: Multipart, given: String?) -> String {
    let type = MediaTypeText.removing("boundary", from: given ?? "")
    if type.isEmpty { return multipart.contentType }
    return "\(type); boundary=\(multipart.boundary.tokenOrQuotedString)"
  }
}

/// The upload of a multipart in the form that a session takes.
struct MultipartUpload: RequestConvertible {
  let multipart: Result<Multipart, any Error>
  let url: any URLConvertible
  let method: HTTPRequest.Method
  let headers: RequestHeaders

  func asRequest() throws -> OutgoingRequest { try asRequest(relativeTo: nil) }

  func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest {
    let multipart = try multipart.get()
    return try OutgoingRequest(url: url.asURL(relativeTo: base), method: method, headers: headers.fields)
      .beforeOptions { (request) throws(LupineError) in try request.encoding(multipart: multipart) }
  }
}
