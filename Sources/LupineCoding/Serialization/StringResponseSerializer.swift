public import HTTPTypes
public import LupineCore

/// Decodes the response's body as text.
///
/// The encoding is the given one, else the `charset` of the response, else that of a byte order mark, else UTF-8 for
/// JSON (RFC 8259 section 8.1), else ISO 8859-1.
public struct StringResponseSerializer: ResponseSerializer {
  private let encoding: TextEncoding?
  private let input: SerializerInput

  /// Creates a serializer with an encoding and the conditions for an empty body.
  ///
  /// Default: the response's encoding; 204, 205 and responses to HEAD may be empty.
  public init(
    encoding: TextEncoding? = nil, preprocessor: any DataPreprocessor = .passthrough,
    emptyResponseCodes: Set<Int> = EmptyResponseRules.defaultCodes,
    emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponseRules.defaultMethods
  ) {
    self.encoding = encoding
    input = SerializerInput(preprocessor, emptyResponseCodes, emptyRequestMethods)
  }

  init(encoding: TextEncoding?, input: SerializerInput) {
    self.encoding = encoding
    self.input = input
  }

  /// Returns the text; an empty text if the body is empty and may be.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, or of kind `serializationFailed` if a byte is invalid in the
  ///   encoding or the encoding is unknown.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> String {
    guard let data = try input.bytes(of: response) else { return "" }
    if let encoding { return try encoding.decode(data) }
    let mediaType = response.head.headerFields[.contentType].flatMap { MediaType($0) }
    if let charset = mediaType?.charset { return try TextEncoding(charset).decode(data) }
    if let mark = ByteOrderMark(startOf: data) { return try mark.encoding.decode(data) }
    return try (mediaType?.isJSON == true ? TextEncoding.utf8 : .isoLatin1).decode(data)
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// Text, in the encoding that the response names.
  public static var string: Self { Self() }

  /// Text in this encoding, regardless of the response's `charset`.
  public static func string(encoding: TextEncoding) -> Self { Self(encoding: encoding) }
}
