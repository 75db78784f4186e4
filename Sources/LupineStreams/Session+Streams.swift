public import HTTPTypes
public import LupineCoding
public import LupineCore
public import LupineSession

extension Session {
  /// Makes a request whose response is handed over as it arrives.
  ///
  /// - Parameters:
  ///   - url: where to; a relative reference is appended to the base URL.
  ///   - method: what is asked. Default: GET.
  ///   - parameters: values to send, of any shape.
  ///   - encoder: where they go and how; `nil` means the session's own, a URL-encoded form unless told otherwise.
  ///   - headers: fields besides the session's.
  ///   - window: bytes that may wait for the consumer before the transport pauses. Default: 512 KiB.
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) { try describe(url, method, headers, parameters, encoder) }
  }

  /// Makes such a request with parameters of a program's own type.
  public func streamRequest<Value: Encodable & Sendable>(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) { try describe(url, method, headers, parameters, encoder) }
  }

  /// Makes such a request with parameters whose values have types of their own.
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: [String: any Encodable & Sendable],
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) { try describe(url, method, headers, AnyEncodableParameters(parameters), encoder) }
  }

  /// Makes the request that a route describes, and hands its response over as it arrives.
  public func streamRequest(_ route: some RequestConvertible, window: Int = 512 << 10) -> DataStreamRequest {
    stream(window) { try route.asRequest(relativeTo: self.baseURL) }
  }

  private func stream(_ window: Int, _ describe: () throws -> OutgoingRequest) -> DataStreamRequest {
    let consumer = StreamConsumer(window: max(1, window))
    return DataStreamRequest(makeTask(consumer, describe), consumer)
  }
}
