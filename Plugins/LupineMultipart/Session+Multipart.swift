public import HTTPTypes
public import LupineCore
public import LupineSession

extension Session {
  /// Sends a form with files, whose parts the closure appends.
  ///
  /// Each part is read as it is sent: memory is constant, and no temporary file is written. `uploadProgress` counts the
  /// whole encoded form. The boundary comes from the session's source of randomness.
  ///
  /// - Parameters:
  ///   - build: fills the form; what it throws becomes the request's error.
  ///   - url: where to; a relative reference is appended to the base URL.
  ///   - method: what is asked. Default: POST.
  ///   - headers: fields besides the session's; `Content-Type` is set where they have none.
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

  /// Sends a form, or a multipart of any other type.
  public func upload(
    multipart: some MultipartConvertible, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: HTTPFields = [:]
  ) -> UploadRequest {
    upload(MultipartRoute(multipart: .success(multipart.multipart), url: url, method: method, headers: headers))
  }
}
