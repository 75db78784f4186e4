public import HTTPTypes
public import LupineCore
public import LupineSession

extension Session {
  /// Uploads a form whose parts the closure appends, with fields of swift-http-types.
  @_disfavoredOverload
  public func upload(
    multipart build: (inout MultipartFormData) throws -> Void, to url: some URLConvertible,
    method: HTTPRequest.Method = .post, headers: HTTPFields
  ) -> UploadRequest { upload(multipart: build, to: url, method: method, headers: RequestHeaders(headers)) }

  /// Uploads a form, or a multipart of any other type, with fields of swift-http-types.
  @_disfavoredOverload
  public func upload(
    multipart: some MultipartConvertible, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: HTTPFields
  ) -> UploadRequest { upload(multipart: multipart, to: url, method: method, headers: RequestHeaders(headers)) }
}
