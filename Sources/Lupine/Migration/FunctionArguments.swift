public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineMultipart
public import LupineSession
public import LupineStreams
public import LupineTransfers

// Alamofire's arguments of `Lupine.request` and the other functions, unavailable here; `Arguments.swift` has those of a
// session's methods.

/// Unavailable: the parameter is called `encoder`.
@available(*, unavailable, message: "Use encoder: .json or encoder: .urlEncodedForm in the place of encoding:.")
public func request(
  _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil, encoding: Any,
  headers: RequestHeaders = RequestHeaders(), interceptor: Any? = nil
) -> DataRequest { Session.default.request("") }

/// Unavailable: the parts of an interceptor are added to the request.
@available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
public func request(
  _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil, encoder: Any? = nil,
  headers: RequestHeaders = RequestHeaders(), interceptor: Any
) -> DataRequest { Session.default.request("") }

/// Unavailable: the request has methods for its settings.
@available(
  *, unavailable,
  message: "Use .timeouts { $0.idle = .seconds(5) } or .options { } on the request in the place of requestModifier:."
)
public func request(
  _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil,
  headers: RequestHeaders = RequestHeaders(), requestModifier: (inout Session.UnavailableURLRequest) throws -> Void
) -> DataRequest { Session.default.request("") }

/// Unavailable: the parts of an interceptor are added to the request.
@available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
public func upload(
  _ body: RequestBody, to url: Any, method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(),
  interceptor: Any
) -> UploadRequest { Session.default.upload(body, to: "") }

/// Unavailable: the parts of an interceptor are added to the request.
@available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
public func upload(
  _ data: Data, to url: Any, method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(),
  interceptor: Any
) -> UploadRequest { Session.default.upload(data, to: "") }

/// Unavailable: the parts of an interceptor are added to the request.
@available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
public func upload(
  _ file: URL, to url: Any, method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(),
  interceptor: Any
) -> UploadRequest { Session.default.upload(.file(file), to: "") }

/// Unavailable: the parts of an interceptor are added to the request.
@available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
public func download(
  _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil,
  headers: RequestHeaders = RequestHeaders(), interceptor: Any, to destination: DownloadDestination? = nil
) -> DownloadRequest { Session.default.download("") }

/// Unavailable: a destination is a value, or a closure that receives the head.
@available(*, unavailable, message: "Use to: fileURL, or to: .file(fileURL, options), or to: .custom { head in … }.")
public func download(
  _ url: Any, method: HTTPRequest.Method = .get, parameters: [String: Any]? = nil,
  headers: RequestHeaders = RequestHeaders(),
  to destination: (URL, HTTPResponse) -> (destinationURL: URL, options: DownloadDestination.Options)
) -> DownloadRequest { Session.default.download("") }

/// Unavailable: the parts of an interceptor are added to the request.
@available(*, unavailable, message: "Use .adapter(_:) and .retrier(_:) on the request in the place of interceptor:.")
public func streamRequest(
  _ url: Any, method: HTTPRequest.Method = .get, headers: RequestHeaders = RequestHeaders(), interceptor: Any
) -> DataStreamRequest { Session.default.streamRequest("") }

/// Unavailable: the parameter is called `multipart`.
@available(*, unavailable, message: "Use Lupine.upload(multipart: { form in … }, to: url).")
public func upload(
  multipartFormData: (inout MultipartFormData) throws -> Void, to url: Any, usingThreshold: UInt64 = 0,
  method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders(), interceptor: Any? = nil
) -> UploadRequest { Session.default.upload(.none, to: "") }
