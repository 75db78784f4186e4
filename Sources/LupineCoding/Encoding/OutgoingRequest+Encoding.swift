import HTTPTypes
public import LupineCore
import LupineFoundation

extension OutgoingRequest {
  /// Returns the request with parameters added, or unchanged if the parameters are `nil`.
  ///
  /// - Throws: `LupineError` from the encoder.
  public func encoding(
    _ parameters: Parameters?, with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    guard let parameters else { return self }
    return try LupineError.encodingParameters { try encoder.encode(parameters, into: self) }
  }

  /// Returns the request with a value's members added as parameters, or unchanged if the value is `nil`.
  ///
  /// - Throws: `LupineError` from the encoder.
  public func encoding<Value: Encodable & Sendable>(
    _ parameters: Value?, with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    guard let parameters else { return self }
    return try LupineError.encodingParameters { try encoder.encode(parameters, into: self) }
  }

  /// Returns the request with parameters added whose values have different types.
  ///
  /// - Throws: `LupineError` from the encoder.
  public func encoding(
    _ parameters: [String: any Encodable & Sendable], with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    try LupineError.encodingParameters { try encoder.encode(AnyEncodableParameters(parameters), into: self) }
  }
}

extension OutgoingRequest {
  /// Returns the request with nested parameters of different types added.
  ///
  /// - Throws: `LupineError` from the encoder.
  @_disfavoredOverload
  public func encoding(
    _ parameters: [String: (any ParameterValue)?], with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    try LupineError.encodingParameters { try encoder.encode(NestedParameter(parameters), into: self) }
  }

  /// Makes the compiler report a value that cannot be a parameter; see `ParameterValue`.
  @available(
    *, unavailable,
    message: """
      A nested literal takes literals and ParameterValues. Write `.parameterValue` behind an array or a dictionary in a \
      variable, and `extension T: ParameterValue {}` for an Encodable type of yours.
      """
  )
  @_disfavoredOverload
  public func encoding(
    _ parameters: [String: Any?], with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest { self }
}

/// Parameters whose values have different types, as one value to encode.
struct AnyEncodableParameters: Encodable, Sendable {
  private let values: [String: any Encodable & Sendable]

  init(_ values: [String: any Encodable & Sendable]) { self.values = values }

  func encode(to encoder: any Encoder) throws {
    // Encoded as a dictionary, because a key strategy does not change the names of a dictionary.
    var container = encoder.singleValueContainer()
    try container.encode(values.mapValues(Element.init))
  }

  private struct Element: Encodable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws {
      // Not `value.encode(to:)`, which would bypass the encoder's strategies for dates and data.
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}

extension OutgoingRequest {
  /// Returns the request that a closure makes from this one; within the closure a GET may have a body.
  ///
  /// Whether a GET may have a body is checked when the request is sent. `encode` is called once, before the method
  /// returns.
  ///
  /// - Throws: the error of `encode`.
  public func beforeOptions(
    _ encode: (OutgoingRequest) throws(LupineError) -> OutgoingRequest
  ) throws(LupineError) -> OutgoingRequest {
    var request = self
    request.options.allowsBodyWithGET = true
    request = try encode(request)
    request.options.allowsBodyWithGET = options.allowsBodyWithGET
    return request
  }

  /// Sets the body, and its media type if the caller set none.
  mutating func setBody(_ data: Data, contentType: String) {
    body = .bytes(data)
    if headers[.contentType] == nil { headers[.contentType] = contentType }
  }
}

extension LupineError {
  /// Runs an encoder; an error that is no `LupineError` becomes the cause of a `parameterEncodingFailed`.
  static func encodingParameters<Result>(_ encode: () throws -> Result) throws(LupineError) -> Result {
    do {
      return try encode()
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(
        .parameterEncodingFailed, "The parameters could not be encoded; the underlying error says why.",
        underlying: error)
    }
  }
}

/// Puts parameters into a request with a closure.
public struct ClosureParameterEncoder: ParameterEncoder {
  /// Puts the parameters into the request.
  ///
  /// It is called once for each request, when the request is made, on the caller's thread; calls may be concurrent.
  public typealias Encode = @Sendable (any Encodable & Sendable, OutgoingRequest) throws -> OutgoingRequest

  private let body: Encode

  /// Makes an encoder from a closure; see `Encode`.
  public init(_ encode: @escaping Encode) { body = encode }

  /// Returns the request that the closure returns.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` with the closure's error as `underlying`; a
  ///   `LupineError` that the closure throws is passed on unchanged.
  public func encode(
    _ parameters: some Encodable & Sendable, into request: OutgoingRequest
  ) throws -> OutgoingRequest {
    try LupineError.encodingParameters { try body(parameters, request) }
  }
}

extension ParameterEncoder where Self == ClosureParameterEncoder {
  /// A closure that puts the parameters into the request; see `ClosureParameterEncoder.Encode`.
  public static func custom(_ encode: @escaping ClosureParameterEncoder.Encode) -> Self {
    ClosureParameterEncoder(encode)
  }
}
