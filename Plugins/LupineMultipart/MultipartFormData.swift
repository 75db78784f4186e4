public import LupineCore

/// A form with files, encoded as browsers do (RFC 7578, with the escaping of the WHATWG's HTML standard).
///
/// ```
/// var form = MultipartFormData()
/// form.append(.file("/data/unicorn.png"), name: "unicorn")
/// form.append("rainbow", name: "title")
/// ```
///
/// A form describes a streaming body; see `Multipart` and `MultipartConvertible`. The parts keep their order.
public struct MultipartFormData: MultipartConvertible {
  /// The form as a multipart of subtype `form-data`.
  public internal(set) var multipart: Multipart
  /// The media types that supply the content type of a file if the caller gives none.
  ///
  /// Default: `MediaTypes.system`.
  public var mediaTypes = MediaTypes.system

  /// Creates an empty form with a boundary of 192 random bits.
  ///
  /// - Parameter random: returns 64 random bits at each call. Default: the system's generator.
  public init(random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom) {
    multipart = Multipart(.formData, random: random)
  }

  /// Creates an empty form with the caller's boundary.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if RFC 2046 does not allow the boundary.
  public init(boundary: String) throws(LupineError) {
    multipart = try Multipart(.formData, boundary: boundary)
  }

  /// The parts, in the order in which they are sent.
  public var parts: [MultipartPart] { multipart.parts }

  /// The delimiter between the parts, without its dashes.
  public var boundary: String { multipart.boundary }

  /// The value of the `Content-Type` field, with the boundary.
  public var contentType: String { multipart.contentType }
}
