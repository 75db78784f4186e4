public import HTTPTypes
public import LupineCore
public import LupineSession

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
  ///   - headers: fields in addition to the session's; `Content-Type` is set if they do not contain it.
  public func upload(
    multipart build: (inout MultipartFormData) throws -> Void, to url: some URLConvertible,
    method: HTTPRequest.Method = .post, headers: HTTPFields = [:]
  ) -> UploadRequest {
    let form = Result {
      var form = MultipartFormData(random: random)
      try build(&form)
      return form.multipart
    }
    return upload(MultipartRoute(multipart: form, url: url, method: method, headers: headers))
  }

  /// Uploads a form, or a multipart of any other type.
  public func upload(
    multipart: some MultipartConvertible, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: HTTPFields = [:]
  ) -> UploadRequest {
    upload(MultipartRoute(multipart: .success(multipart.multipart), url: url, method: method, headers: headers))
  }
}
