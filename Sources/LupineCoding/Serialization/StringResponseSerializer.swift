public import HTTPTypes
public import LupineCore

/// Makes text of the response's body.
///
/// The encoding is the one given, else the one that the response's `charset` names, else the one of a byte order mark,
/// else UTF-8 for JSON (RFC 8259 section 8.1), else ISO 8859-1.
public struct StringResponseSerializer: ResponseSerializer {
  private let encoding: TextEncoding?
  private let input: SerializerInput

  /// Names the encoding and what may be empty.
  ///
  /// Default: the response's own; 204, 205 and responses to HEAD.
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

  /// Returns the text; an empty one where the body may be empty and is.
  ///
  /// - Throws: `LupineError` of kind `emptyResponse`, or of kind `serializationFailed` where a byte does not belong to the
  ///   encoding or nobody knows the encoding.
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

  /// Text in this encoding, whatever the response says.
  public static func string(encoding: TextEncoding) -> Self { Self(encoding: encoding) }
}
