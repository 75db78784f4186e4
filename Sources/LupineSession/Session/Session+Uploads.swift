public import FoundationEssentials
public import HTTPTypes
public import LupineCore

extension Session {
  /// Sends a body.
  ///
  /// - Parameters:
  ///   - body: bytes, a file or a stream; it is read as it is sent.
  ///   - url: where to; a relative reference is appended to the base URL.
  ///   - method: what is asked. Default: POST.
  ///   - headers: fields besides the session's.
  ///   - expectsContinue: whether the body waits for the server's word, so that one that refuses gets none of it (RFC 9110
  ///     section 10.1.1). Default: no.
  public func upload(
    _ body: RequestBody, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: HTTPFields = HTTPFields(),
    expectsContinue: Bool = false
  ) -> UploadRequest {
    UploadRequest(
      makeTask {
        var request = OutgoingRequest(
          url: try url.asURL(relativeTo: self.baseURL), method: method, headers: headers, body: body)
        request.options.expectsContinue = expectsContinue
        return request
      })
  }

  /// Sends bytes, as `upload(_:to:method:headers:expectsContinue:)` does with any body.
  public func upload(
    _ data: Data, to url: some URLConvertible, method: HTTPRequest.Method = .post, headers: HTTPFields = HTTPFields(),
    expectsContinue: Bool = false
  ) -> UploadRequest {
    upload(.bytes(data), to: url, method: method, headers: headers, expectsContinue: expectsContinue)
  }

  /// Sends the request that a route describes, body and all.
  public func upload(_ route: some RequestConvertible) -> UploadRequest {
    UploadRequest(makeTask { try route.asRequest(relativeTo: self.baseURL) })
  }
}
