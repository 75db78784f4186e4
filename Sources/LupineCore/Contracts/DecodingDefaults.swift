public import FoundationEssentials

/// What a session decodes response bodies with, where a serializer names nothing of its own.
///
/// `ReceivedResponse.decodingDefaults` hands it to every serializer.
public struct DecodingDefaults: Sendable {
  /// Decodes `Decodable` values.
  ///
  /// Default: a `JSONDecoder`.
  public var decoder: any DataDecoder
  /// Changes a body before it is decoded.
  ///
  /// Default: `nil`, which leaves the body as it is.
  public var preprocessor: (any DataPreprocessor)?
  /// Which responses may have no body.
  ///
  /// Default: `nil`, which means `EmptyResponseRules()`.
  public var emptyResponseRules: EmptyResponseRules?

  /// Joins the parts.
  public init(
    decoder: any DataDecoder = JSONDecoder(), preprocessor: (any DataPreprocessor)? = nil,
    emptyResponseRules: EmptyResponseRules? = nil
  ) {
    self.decoder = decoder
    self.preprocessor = preprocessor
    self.emptyResponseRules = emptyResponseRules
  }
}
