public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation
public import LupineMultipart
public import LupineSession
public import LupineStreams
public import LupineTransfers

/// Makes a request with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func request(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with `Encodable` parameters and fields of swift-http-types, with the default session.
@_disfavoredOverload
public func request<Value: Encodable & Sendable>(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with fields of swift-http-types and parameters of different types, with the default session.
@_disfavoredOverload
public func request(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
) -> DataRequest {
  Session.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Sends a body with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func upload(
  _ body: RequestBody, to url: some URLConvertible, method: HTTPRequest.Method = .post, headers: HTTPFields,
  expectsContinue: Bool = false
) -> UploadRequest {
  Session.default.upload(body, to: url, method: method, headers: headers, expectsContinue: expectsContinue)
}

/// Sends bytes with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func upload(
  _ data: Data, to url: some URLConvertible, method: HTTPRequest.Method = .post, headers: HTTPFields,
  expectsContinue: Bool = false
) -> UploadRequest {
  Session.default.upload(data, to: url, method: method, headers: headers, expectsContinue: expectsContinue)
}

/// Uploads a form whose parts the closure appends, with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func upload(
  multipart build: (inout MultipartFormData) throws -> Void, to url: some URLConvertible,
  method: HTTPRequest.Method = .post, headers: HTTPFields
) -> UploadRequest { Session.default.upload(multipart: build, to: url, method: method, headers: headers) }

/// Uploads a form, or a multipart of any other type, with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func upload(
  multipart: some MultipartConvertible, to url: some URLConvertible, method: HTTPRequest.Method = .post,
  headers: HTTPFields
) -> UploadRequest { Session.default.upload(multipart: multipart, to: url, method: method, headers: headers) }

/// Writes the response of a request with fields of swift-http-types to a file, with the default session.
@_disfavoredOverload
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
}

/// Writes the response of a request with `Encodable` parameters and fields of swift-http-types to a file, with the
/// default session.
@_disfavoredOverload
public func download<Value: Encodable & Sendable>(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
}

/// Writes the response of a request with fields of swift-http-types and parameters of different types to a file, with
/// the default session.
@_disfavoredOverload
public func download(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, to destination: DownloadDestination = .temporary
) -> DownloadRequest {
  Session.default.download(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, to: destination)
}

/// Resumes an interrupted download with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func download(
  resumingWith resumeData: Data, url: (any URLConvertible)? = nil, headers: HTTPFields,
  to destination: DownloadDestination? = nil, otherwise policy: ResumePolicy = .restart
) -> DownloadRequest {
  Session.default.download(resumingWith: resumeData, url: url, headers: headers, to: destination, otherwise: policy)
}

/// Makes a stream request with fields of swift-http-types, with the default session.
@_disfavoredOverload
public func streamRequest(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
}

/// Makes a stream request with `Encodable` parameters and fields of swift-http-types, with the default session.
@_disfavoredOverload
public func streamRequest<Value: Encodable & Sendable>(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
}

/// Makes a stream request with fields of swift-http-types and parameters of different types, with the default
/// session.
@_disfavoredOverload
public func streamRequest(
  _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields, window: Int = 512 << 10
) -> DataStreamRequest {
  Session.default.streamRequest(
    url, method: method, parameters: parameters, encoder: encoder, headers: headers, window: window)
}

/// Makes a request with fields of swift-http-types to a URL with values in its path, with the default session.
@_disfavoredOverload
public func request(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
  parameters: Parameters? = nil, encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with `Encodable` parameters and fields of swift-http-types to a URL with values in its path, with the
/// default session.
@_disfavoredOverload
public func request<Value: Encodable & Sendable>(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get, parameters: Value?,
  encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
}

/// Makes a request with fields of swift-http-types and parameters of different types to a URL with values in its path,
/// with the default session.
@_disfavoredOverload
public func request(
  _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
  parameters: [String: any Encodable & Sendable], encoder: (any ParameterEncoder)? = nil, headers: HTTPFields
) -> DataRequest {
  Session.default.request(
    template, path: values, method: method, parameters: parameters, encoder: encoder, headers: headers)
}
