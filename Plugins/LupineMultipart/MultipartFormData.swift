public import LupineCore

/// A form with files, as browsers send it (RFC 7578, with the escaping of the WHATWG's HTML standard).
///
/// ```
/// var form = MultipartFormData()
/// form.append(.file("/data/unicorn.png"), name: "unicorn")
/// form.append("rainbow", name: "title")
/// ```
///
/// It is a description of a streaming body: see `Multipart` and `MultipartConvertible`. The order of the parts is kept.
public struct MultipartFormData: MultipartConvertible {
  /// The form as a multipart of subtype `form-data`.
  public internal(set) var multipart: Multipart
  /// Where a file's type comes from when it is not given.
  ///
  /// Default: the system's.
  public var mediaTypes = MediaTypes.system

  /// Starts an empty form, with a boundary of 192 random bits.
  ///
  /// - Parameter random: 64 random bits at each call. Default: the system's.
  public init(random: @Sendable () -> UInt64 = MultipartBoundary.systemRandom) {
    multipart = Multipart(.formData, random: random)
  }

  /// Starts an empty form with a boundary of the caller's.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` where RFC 2046 does not allow the boundary.
  public init(boundary: String) throws(LupineError) {
    multipart = try Multipart(.formData, boundary: boundary)
  }

  /// The parts, in the order in which they go out.
  public var parts: [MultipartPart] { multipart.parts }

  /// What separates the parts.
  public var boundary: String { multipart.boundary }

  /// The content type, with the boundary, as the field says it.
  public var contentType: String { multipart.contentType }
}
