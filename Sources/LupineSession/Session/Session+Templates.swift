public import HTTPTypes
public import LupineCoding
public import LupineCore

extension Session {
  /// Makes a request to a URL whose path has values.
  ///
  /// ```swift
  /// let repository = try await session.request("repos/{owner}/{name}", path: ["owner": owner, "name": name])
  ///   .validate().serializingDecodable(Repository.self).value
  /// ```
  ///
  /// For requests of other kinds, pass `.template(_:_:)` as the URL.
  ///
  /// - Parameters:
  ///   - template: the URL, with each name in braces; see `PathTemplate` for the rules and the errors.
  ///   - values: the value of each name, which is escaped.
  public func request(
    _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
    parameters: Parameters? = nil, encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    request(PathTemplate(template, values), method: method, parameters: parameters, encoder: encoder, headers: headers)
  }

  /// Makes a request with `Encodable` parameters to a URL whose path has values.
  public func request<Value: Encodable & Sendable>(
    _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get, parameters: Value?,
    encoder: (any ParameterEncoder)? = nil, headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    request(PathTemplate(template, values), method: method, parameters: parameters, encoder: encoder, headers: headers)
  }

  /// Makes a request with parameters whose values have different types to a URL whose path has values.
  public func request(
    _ template: String, path values: PathTemplate.Values, method: HTTPRequest.Method = .get,
    parameters: [String: any Encodable & Sendable], encoder: (any ParameterEncoder)? = nil,
    headers: RequestHeaders = RequestHeaders()
  ) -> DataRequest {
    request(PathTemplate(template, values), method: method, parameters: parameters, encoder: encoder, headers: headers)
  }
}
