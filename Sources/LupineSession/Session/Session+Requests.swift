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
