public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineFoundation

extension Session {
  /// Makes a request.
  ///
  /// - Parameters:
  ///   - url: the URL; a relative reference is appended to the base URL.
  ///   - method: the request method. Default: GET.
  ///   - parameters: the parameters to send, of any shape.
  ///   - encoder: encodes the parameters; `nil` uses the session's encoder, by default a URL-encoded form.
  ///   - headers: fields in addition to the session's.
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    DataRequest(makeExecution { try outgoing(url, method, headers, parameters, encoder) })
  }

  /// Makes a request with parameters of an `Encodable` type.
  public func request<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    DataRequest(makeExecution { try outgoing(url, method, headers, parameters, encoder) })
  }

  /// Makes a request with parameters whose values have different types.
  public func request(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    DataRequest(
      makeExecution {
        try makeOutgoingRequest(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
      })
  }

  /// Makes a request from a convertible value.
  public func request(_ route: some RequestConvertible) -> DataRequest {
    DataRequest(makeExecution { try route.asRequest(relativeTo: self.baseURL) })
  }
}

extension Session {
  /// Makes the execution of a request, for a kind of request of a plugin or a program.
  ///
  /// The execution has a new number, and the deadlines of the current task (`withDeadline`). It is not started.
  ///
  /// ```swift
  /// handler = ChecksumHandler()
  /// execution = session.makeExecution(handler: handler, request: request)
  /// ```
  ///
  /// - Parameters:
  ///   - handler: decides where the body of the response goes; it serves this request alone. Default: `nil`, which
  ///     stores the body in memory.
  ///   - request: returns the request. It is called once, before this method returns. An error that it throws becomes
  ///     the error of the request; one that is no `LupineError` becomes the `underlying` error of kind
  ///     `invalidRequest`.
  public func makeExecution(
    handler: (any ResponseHandler)? = nil, request: () throws -> OutgoingRequest
  ) -> RequestExecution {
    let execution = RequestExecution(result(of: request), session: self, handler: handler)
    // Uses the deadlines of the task that makes the request, because another task may start it.
    for instant in Self.deadlines { execution.timeLimits.setDeadline(instant) }
    return execution
  }

  /// Returns a request with a URL relative to the base URL and with parameters, as `request(_:method:parameters:)`
  /// does.
  ///
  /// - Throws: `LupineError` if the URL is invalid or the parameters cannot be encoded.
  public func makeOutgoingRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) throws -> OutgoingRequest {
    try outgoing(url, method, headers, parameters, encoder)
  }

  /// Returns a request with parameters of an `Encodable` type.
  public func makeOutgoingRequest<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) throws -> OutgoingRequest {
    try outgoing(url, method, headers, parameters, encoder)
  }

  /// Returns a request with parameters whose values have different types.
  public func makeOutgoingRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) throws -> OutgoingRequest {
    let request = OutgoingRequest(url: try url.asURL(relativeTo: baseURL), method: method, headers: try headers.fields)
    let encoder = encoder ?? configuration.parameterEncoder
    return try request.beforeOptions { (request) throws(LupineError) in try request.encoding(parameters, with: encoder)
    }
  }

  @inline(__always)  // Avoids a metadata lookup if there are no parameters.
  private func outgoing<Value: Encodable & Sendable>(
    _ url: some URLConvertible, _ method: HTTPRequest.Method, _ headers: RequestHeaders, _ parameters: Value?,
    _ encoder: (any ParameterEncoder)?
  ) throws -> OutgoingRequest {
    let request = OutgoingRequest(url: try url.asURL(relativeTo: baseURL), method: method, headers: try headers.fields)
    guard let parameters else { return request }
    let encoder = encoder ?? configuration.parameterEncoder
    return try request.beforeOptions { (request) throws(LupineError) in try request.encoding(parameters, with: encoder)
    }
  }

  /// Returns the request, or the error of the request whose description failed.
  func result(of describe: () throws -> OutgoingRequest) -> Result<OutgoingRequest, LupineError> {
    do {
      return .success(try describe())
    } catch {
      return .failure(
        error as? LupineError
          ?? LupineError(.invalidRequest, "The request could not be created: \(error).", underlying: error))
    }
  }
}

extension Session {
  /// Sends a body.
  ///
  /// - Parameters:
  ///   - body: bytes, a file or a stream; it is read while it is sent.
  ///   - url: the URL; a relative reference is appended to the base URL.
  ///   - method: the request method. Default: POST.
  ///   - headers: fields in addition to the session's.
  ///   - expectsContinue: whether to wait for 100 (Continue) before the body is sent, so that a server can refuse the
  ///     request without the body (RFC 9110 section 10.1.1). Default: `false`.
  public func upload(
    _ body: RequestBody, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: RequestHeaders = RequestHeaders(),
    expectsContinue: Bool = false
  ) -> UploadRequest {
    UploadRequest(
      makeExecution {
        var request = OutgoingRequest(
          url: try url.asURL(relativeTo: self.baseURL), method: method, headers: try headers.fields, body: body)
        request.options.expectsContinue = expectsContinue
        return request
      })
  }

  /// Sends bytes, as `upload(_:to:method:headers:expectsContinue:)` does with any body.
  public func upload(
    _ data: Data, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: RequestHeaders = RequestHeaders(),
    expectsContinue: Bool = false
  ) -> UploadRequest {
    upload(.bytes(data), to: url, method: method, headers: headers, expectsContinue: expectsContinue)
  }

  /// Sends the request of a convertible value, with its body.
  public func upload(_ route: some RequestConvertible) -> UploadRequest {
    UploadRequest(makeExecution { try route.asRequest(relativeTo: self.baseURL) })
  }
}

extension Session {
  /// The deadlines that enclosing `withDeadline` calls set for the current task.
  @TaskLocal static var deadlines: [any InstantProtocol<Duration>] = []

  /// Sets a deadline for all requests, of any session, that are made in the operation and in the tasks that it starts.
  ///
  /// A server can set one deadline for all requests that it makes to answer a call. A request that reaches the deadline
  /// ends with kind `timedOut(.total)`, as with `SessionRequest.deadline(_:)`. The earliest of several deadlines and
  /// the total timeout applies. The deadline does not end the operation itself. It does not apply to the refresh of a
  /// credential by `AuthenticationInterceptor`, because other requests share that refresh.
  ///
  /// - Parameters:
  ///   - instant: the deadline, on a session's clock or on a system clock such as `ContinuousClock`.
  ///   - operation: the work that makes the requests.
  public static func withDeadline<Value>(
    _ instant: some InstantProtocol<Duration>, operation: () async throws -> Value
  ) async rethrows -> Value {
    try await $deadlines.withValue(deadlines + [instant], operation: operation)
  }

  /// Sets a deadline such as `.now + .seconds(2)` for all requests that are made in the operation and in the tasks that
  /// it starts.
  ///
  /// It works like the method that takes an instant of any clock.
  public static func withDeadline<Value>(
    _ instant: ContinuousClock.Instant, operation: () async throws -> Value
  ) async rethrows -> Value {
    try await $deadlines.withValue(deadlines + [instant], operation: operation)
  }
}

extension Session {
  /// Calls the closure with every request that has started and not ended, in the order of creation.
  ///
  /// Requests may start and end while the closure runs.
  public func withAllRequests<Value>(_ body: ([RunningRequest]) throws -> Value) rethrows -> Value {
    try body(registry.running.map { RunningRequest($0) })
  }

  /// Cancels every running request; new requests are still accepted.
  ///
  /// Each request ends with kind `cancelled` and its handlers are called. `finishRequests()` waits for the handlers.
  public func cancelAllRequests() {
    for execution in registry.running { execution.cancel() }
  }
}

/// A running request of any kind.
public struct RunningRequest: SessionRequest {
  /// The execution, which all copies share.
  public let execution: RequestExecution

  init(_ execution: RequestExecution) { self.execution = execution }
}
