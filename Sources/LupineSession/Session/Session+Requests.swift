public import FoundationEssentials
public import HTTPTypes
public import LupineCoding
public import LupineCore

extension Session {
  /// Makes a request.
  ///
  /// - Parameters:
  ///   - url: where to; a relative reference is appended to the base URL.
  ///   - method: what is asked. Default: GET.
  ///   - parameters: values to send, of any shape.
  ///   - encoder: where they go and how; `nil` means the session's own, a URL-encoded form unless told otherwise.
  ///   - headers: fields besides the session's.
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields()
  ) -> DataRequest {
    DataRequest(makeTask { try describe(url, method, headers, parameters, encoder) })
  }

  /// Makes a request with parameters of a program's own type.
  public func request<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields()
  ) -> DataRequest {
    DataRequest(makeTask { try describe(url, method, headers, parameters, encoder) })
  }

  /// Makes a request with parameters whose values have types of their own.
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields()
  ) -> DataRequest {
    DataRequest(makeTask { try describe(url, method, headers, AnyEncodableParameters(parameters), encoder) })
  }

  /// Makes the request that a route describes.
  public func request(_ route: some RequestConvertible) -> DataRequest {
    DataRequest(makeTask { try route.asRequest(relativeTo: self.baseURL) })
  }

  /// Describes a request with its parameters, whatever becomes of its response.
  @inline(__always)  // So that a request without parameters does not look up what an optional of them is.
  package func describe<Value: Encodable & Sendable>(
    _ url: some URLConvertible, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ parameters: Value?,
    _ encoder: (any ParameterEncoder)?
  ) throws -> OutgoingRequest {
    let request = OutgoingRequest(url: try url.asURL(relativeTo: baseURL), method: method, headers: headers)
    guard let parameters else { return request }
    let encoder = encoder ?? configuration.parameterEncoder
    return try request.beforeOptions { (request) throws(LupineError) in try request.encoding(parameters, with: encoder)
    }
  }

  package func makeTask(
    _ consumer: (any ResponseHandler)? = nil, _ describe: () throws -> OutgoingRequest
  ) -> RequestExecution {
    let task = RequestExecution(description(by: describe), session: self, consumer: consumer)
    // The deadlines of the task that makes the request; another task may start it.
    for instant in Self.deadlines { task.setDeadline(instant) }
    return task
  }

  private func description(by describe: () throws -> OutgoingRequest) -> Result<OutgoingRequest, LupineError> {
    do {
      return .success(try describe())
    } catch {
      return .failure(
        error as? LupineError
          ?? LupineError(.invalidRequest, "The request could not be made: \(error).", underlying: error))
    }
  }
}

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

extension Session {
  /// The deadlines that enclosing `withDeadline` calls have set for the current task.
  @TaskLocal static var deadlines: [any InstantProtocol<Duration>] = []

  /// Sets a deadline for every request that is made in the operation and in the tasks it starts, of whatever session.
  ///
  /// A server sets it once for all requests of a call that it answers. Each request ends at the instant with kind
  /// `timedOut(.total)`, as by `SessionRequest.deadline(_:)`; of several deadlines, and beside a total timeout, the earliest
  /// counts. The operation itself is not ended. A credential that `AuthenticationInterceptor` refreshes serves other calls,
  /// too: its refresh does not keep to the deadline.
  ///
  /// - Parameters:
  ///   - instant: the deadline, of a session's clock or of one of the system's, such as `ContinuousClock`.
  ///   - operation: what makes the requests.
  public static func withDeadline<Value>(
    _ instant: some InstantProtocol<Duration>, operation: () async throws -> Value
  ) async rethrows -> Value {
    try await $deadlines.withValue(deadlines + [instant], operation: operation)
  }
}
