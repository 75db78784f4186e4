public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineMultipart
public import LupineSession
public import LupineStreams
public import LupineTransfers

// Arguments of Alamofire's methods, unavailable here; the compiler's message names the replacement.
extension Session {
  /// Unavailable: the parameter is called `encoder`.
  @available(*, unavailable, message: "Use encoder: .json or encoder: .urlEncodedForm in the place of encoding:.")
  public func request(
    _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil, encoding: Any,
    headers: RequestHeaders = RequestHeaders(), interceptor: Any? = nil
  ) -> DataRequest { request("") }

  /// Unavailable: the parts of an interceptor are added to the request.
  @available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
  public func request(
    _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil, encoder: Any? = nil,
    headers: RequestHeaders = RequestHeaders(), interceptor: Any
  ) -> DataRequest { request("") }

  /// Unavailable: the request has methods for its settings.
  @available(
    *, unavailable,
    message: "Use .timeouts { $0.idle = .seconds(5) } or .options { } on the request in the place of requestModifier:."
  )
  public func request(
    _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil,
    headers: RequestHeaders = RequestHeaders(), requestModifier: (inout UnavailableURLRequest) throws -> Void
  ) -> DataRequest { request("") }

  /// Unavailable: the parts of an interceptor are added to the request.
  @available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
  public func upload(
    _ body: RequestBody, to url: Any, method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(),
    interceptor: Any
  ) -> UploadRequest { upload(body, to: "") }

  /// Unavailable: the parts of an interceptor are added to the request.
  @available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
  public func upload(
    _ data: Data, to url: Any, method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(),
    interceptor: Any
  ) -> UploadRequest { upload(data, to: "") }

  /// Unavailable: the parts of an interceptor are added to the request.
  @available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
  public func upload(
    _ file: URL, to url: Any, method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(),
    interceptor: Any
  ) -> UploadRequest { upload(.file(file), to: "") }

  /// Unavailable: the parts of an interceptor are added to the request.
  @available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
  public func download(
    _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil,
    headers: RequestHeaders = RequestHeaders(), interceptor: Any, to destination: DownloadDestination? = nil
  ) -> DownloadRequest { download("") }

  /// Unavailable: a destination is a value, or a closure that receives the head.
  @available(*, unavailable, message: "Use to: fileURL, or to: .file(fileURL, options), or to: .custom { head in … }.")
  public func download(
    _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil,
    headers: RequestHeaders = RequestHeaders(),
    to destination: (URL, HTTPResponse) -> (destinationURL: URL, options: DownloadDestination.Options)
  ) -> DownloadRequest { download("") }

  /// Unavailable: the parts of an interceptor are added to the request.
  @available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
  public func streamRequest(
    _ url: Any, method: HTTPRequest.Method = .get, headers: RequestHeaders = RequestHeaders(), interceptor: Any
  ) -> DataStreamRequest { streamRequest("") }

  /// Unavailable: the parameter is called `multipart`.
  @available(*, unavailable, message: "Use upload(multipart: { form in … }, to: url).")
  public func upload(
    multipartFormData: (inout MultipartFormData) throws -> Void, to url: Any, usingThreshold: UInt64 = 0,
    method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(), interceptor: Any? = nil
  ) -> UploadRequest { upload(.none, to: "") }

  /// Stands for the request that Alamofire's closure changes, so that the compiler's message names the replacement.
  public struct UnavailableURLRequest {
    /// Stands for the timeout in seconds.
    public var timeoutInterval = 60.0
    /// Stands for the policy of the cache.
    public var cachePolicy: Any?
    /// Stands for the method.
    public var httpMethod: String?
    /// Stands for the content.
    public var httpBody: Data?
    /// Stands for the fields.
    public var headers = RequestHeaders()

    /// Stands for the change of a field.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {}
  }
}
