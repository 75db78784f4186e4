import FoundationEssentials
import HTTPTypes
public import LupineCore

extension OutgoingRequest {
  /// Returns the request with parameters in it, or as it is where they are `nil`.
  ///
  /// - Throws: `LupineError`, as the encoder says.
  public func encoding(
    _ parameters: Parameters?, with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    guard let parameters else { return self }
    return try LupineError.encodingParameters { try encoder.encode(parameters, into: self) }
  }

  /// Returns the request with a value's members as parameters in it, or as it is where the value is `nil`.
  ///
  /// - Throws: `LupineError`, as the encoder says.
  public func encoding<Value: Encodable & Sendable>(
    _ parameters: Value?, with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    guard let parameters else { return self }
    return try LupineError.encodingParameters { try encoder.encode(parameters, into: self) }
  }

  /// Returns the request with parameters in it whose values have types of their own.
  ///
  /// - Throws: `LupineError`, as the encoder says.
  public func encoding(
    _ parameters: [String: any Encodable & Sendable], with encoder: any ParameterEncoder = .urlEncodedForm
  ) throws(LupineError) -> OutgoingRequest {
    try LupineError.encodingParameters { try encoder.encode(AnyEncodableParameters(parameters), into: self) }
  }
}

/// What a request is given as parameters when they have no type of their own.
///
/// A literal may nest and mix: `["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]]`.
public typealias Parameters = [String: JSONValue]

/// Parameters whose values have types of their own, as one value to encode.
package struct AnyEncodableParameters: Encodable, Sendable {
  private let values: [String: any Encodable & Sendable]

  package init(_ values: [String: any Encodable & Sendable]) { self.values = values }

  package func encode(to encoder: any Encoder) throws {
    // As a dictionary, so that a strategy for keys leaves the names alone, as it does with every dictionary.
    var container = encoder.singleValueContainer()
    try container.encode(values.mapValues(Element.init))
  }

  private struct Element: Encodable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws {
      // Not `value.encode(to:)`, which would pass by what an encoder does for dates and data.
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}

extension OutgoingRequest {
  /// Returns the request with a body that is set before its options are: whether a GET may have one is checked when it is
  /// sent.
  public func beforeOptions(
    _ encode: (OutgoingRequest) throws(LupineError) -> OutgoingRequest
  ) throws(LupineError) -> OutgoingRequest {
    var request = self
    request.options.allowsBodyWithGET = true
    request = try encode(request)
    request.options.allowsBodyWithGET = options.allowsBodyWithGET
    return request
  }

  /// Sets the body, and its media type where the caller named none.
  mutating func setBody(_ data: Data, contentType: String) {
    body = .bytes(data)
    if headers[.contentType] == nil { headers[.contentType] = contentType }
  }
}

extension LupineError {
  /// Runs an encoder; what it throws that is none of ours becomes the cause of a `parameterEncodingFailed`.
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
