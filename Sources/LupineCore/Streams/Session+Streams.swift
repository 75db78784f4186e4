public import HTTPTypes

extension Session {
  /// Makes a request whose response is handed over as it arrives.
  ///
  /// - Parameters:
  ///   - url: where to; a relative reference is appended to the base URL.
  ///   - window: bytes that may wait for the consumer before the transport pauses. Default: 512 KiB.
  public func streamRequest(
    _ url: some URLConvertible, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
    encoder: (any ParameterEncoder)? = nil, headers: HTTPFields = HTTPFields(), window: Int = 512 << 10
  ) -> DataStreamRequest {
    stream(window) {
      try OutgoingRequest(url: url.asURL(relativeTo: self.baseURL), method: method, headers: headers)
        .encoding(parameters, with: encoder ?? self.configuration.parameterEncoder)
    }
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
