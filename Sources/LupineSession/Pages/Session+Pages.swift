public import LupineCoding
public import LupineCore

extension Session {
  /// Requests the pages of a resource one after the other, by the links with the relation `next` (RFC 8288).
  ///
  /// ```swift
  /// for try await page in session.pages(of: [Issue].self, from: "repos/x/issues", parameters: ["state": "open"]) {
  ///   print(page.map(\.title))
  /// }
  /// ```
  ///
  /// Each page is validated as `validate()` does and requested when it is awaited; cancelling the awaiting task cancels
  /// its request. See `PageSequence` for what is sent for the later pages.
  ///
  /// - Parameters:
  ///   - type: the type of one page.
  ///   - url: the URL of the first page; a relative reference is appended to the base URL.
  ///   - parameters: the parameters of the first page. The server's links contain those of the later pages.
  ///   - headers: fields in addition to the session's.
  ///   - error: the service's error. The body of a refused page is decoded as it, and is then the `serviceError(as:)` of
  ///     the thrown error, as with `serializingDecodable(_:error:)`. Default: none.
  ///   - decoder: decodes each page; `nil` uses the session's decoder, by default JSON.
  ///   - limit: the maximum number of pages. If there are more, the sequence throws kind `limitExceeded(.pages)` after
  ///     the last one, so that an incomplete result is never mistaken for all pages; `prefix(_:)` ends earlier without
  ///     an error. Default: 100.
  ///   - configure: is called with the request of each page, after `validate()`, and returns the request to perform,
  ///     such as `{ $0.retrier(.backoff(limit: 3)) }`. It runs in the task that awaits the page. Default: no change.
  public func pages<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, from url: some URLConvertible, parameters: Parameters? = nil,
    headers: RequestHeaders = RequestHeaders(), error: Failure.Type = Never.self,
    decoder: (any DataDecoder)? = nil, limit: Int = 100,
    configure: @escaping @Sendable (DataRequest) -> DataRequest = { $0 }
  ) -> PageSequence<Value> {
    let first = result { try makeOutgoingRequest(url, parameters: parameters, headers: headers) }
    return PageSequence(
      session: self, first: first, error: error, decoder: decoder, limit: limit, configure: configure)
  }

  /// Requests the pages of a resource, the first of them with the request of a convertible value.
  ///
  /// The request is a GET without a body; any other is an error of kind `invalidRequest`. Its options, such as its
  /// timeouts, apply to each page.
  public func pages<Value: Decodable & Sendable, Failure: Error & Decodable & Sendable>(
    of type: Value.Type = Value.self, from route: some RequestConvertible, error: Failure.Type = Never.self,
    decoder: (any DataDecoder)? = nil, limit: Int = 100,
    configure: @escaping @Sendable (DataRequest) -> DataRequest = { $0 }
  ) -> PageSequence<Value> {
    let first = result {
      let request = try route.asRequest(relativeTo: self.baseURL)
      guard request.method == .get, !request.hasBody else {
        throw LupineError(.invalidRequest, "Pages are requested with GET and without a body; change the request.")
          .about(request.summary)
      }
      return request
    }
    return PageSequence(
      session: self, first: first, error: error, decoder: decoder, limit: limit, configure: configure)
  }
}
