public import LupineCore
public import LupineFoundation

/// Puts parameters into the body as a property list.
public struct PropertyListParameterEncoder: ParameterEncoder {
  private let makeEncoder: @Sendable () -> PropertyListEncoder

  /// Makes an encoder from a closure.
  ///
  /// The closure is called once for each request, when the request is made, on the caller's thread; calls may be
  /// concurrent.
  public init(_ makeEncoder: @escaping @Sendable () -> PropertyListEncoder) {
    self.makeEncoder = makeEncoder
  }

  /// Writes in this format.
  ///
  /// Default: XML.
  public init(format: PropertyListDecoder.PropertyListFormat = .xml) {
    self.init {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      return encoder
    }
  }

  /// Returns the request with the parameters as its body.
  ///
  /// - Throws: `LupineError` of kind `parameterEncodingFailed` if the parameters cannot be encoded, or of kind
  ///   `invalidRequest` if the method is HEAD or TRACE, or GET without the option `allowsBodyWithGET`.
  public func encode(
    _ parameters: some Encodable & Sendable, into request: OutgoingRequest
  ) throws -> OutgoingRequest {
    try RequestRules.checkBodyAllowed(in: request)
    var request = request
    let data = try LupineError.encodingParameters {
      let encoder = makeEncoder()
      try NestingCheck.check(parameters, userInfo: encoder.userInfo)
      return try encoder.encode(parameters)
    }
    request.setBody(data, contentType: "application/x-plist")
    return request
  }
}

extension ParameterEncoder where Self == PropertyListParameterEncoder {
  /// An XML property list in the body.
  public static var propertyList: Self { PropertyListParameterEncoder() }

  /// A property list of this format in the body.
  public static func propertyList(format: PropertyListDecoder.PropertyListFormat) -> Self {
    PropertyListParameterEncoder(format: format)
  }
}
