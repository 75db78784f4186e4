public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineMultipart
public import LupineSession

/// Sends a body, with the default session.
public func upload(
  _ body: RequestBody, to url: some URLConvertible, method: HTTPRequest.Method = .post,
  headers: RequestHeaders = RequestHeaders(), expectsContinue: Bool = false
) -> UploadRequest {
  Session.default.upload(body, to: url, method: method, headers: headers, expectsContinue: expectsContinue)
}

/// Sends bytes, with the default session.
public func upload(
  _ data: Data, to url: some URLConvertible, method: HTTPRequest.Method = .post,
  headers: RequestHeaders = RequestHeaders(), expectsContinue: Bool = false
) -> UploadRequest {
  Session.default.upload(data, to: url, method: method, headers: headers, expectsContinue: expectsContinue)
}

/// Uploads a form whose parts the closure appends, with the default session.
public func upload(
  multipart build: (inout MultipartFormData) throws -> Void, to url: some URLConvertible,
  method: HTTPRequest.Method = .post, headers: RequestHeaders = RequestHeaders()
) -> UploadRequest { Session.default.upload(multipart: build, to: url, method: method, headers: headers) }

/// Uploads a form, or a multipart of any other type, with the default session.
public func upload(
  multipart: some MultipartConvertible, to url: some URLConvertible, method: HTTPRequest.Method = .post,
  headers: RequestHeaders = RequestHeaders()
) -> UploadRequest { Session.default.upload(multipart: multipart, to: url, method: method, headers: headers) }

/// Sends the request of a convertible value, with its body, with the default session.
public func upload(_ route: some RequestConvertible) -> UploadRequest { Session.default.upload(route) }

/// Unavailable: `RequestBody.file` makes a body of a file.
@available(*, unavailable, message: "Use Lupine.upload(.file(file), to: url).")
public func upload(_ file: URL, to url: some URLConvertible) -> UploadRequest { upload(.file(file), to: url) }
