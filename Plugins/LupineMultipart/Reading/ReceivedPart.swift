public import FoundationEssentials
public import HTTPTypes
public import LupineCore
public import LupineSession

/// A complete part in memory.
public struct ReceivedPart: Sendable, Hashable {
  /// The part's fields.
  public let headers: HTTPFields
  /// The part's content.
  public let data: Data

  /// Creates a part from its fields and its content.
  public init(headers: HTTPFields, data: Data) {
    self.headers = headers
    self.data = data
  }

  /// The content as text; invalid UTF-8 becomes U+FFFD.
  public var text: String { String(decoding: data, as: UTF8.self) }

  /// The name of the form field; `nil` if there is none.
  public var name: String? { ContentDisposition(headers[.contentDisposition] ?? "")["name"] }

  /// The file name from the sender, unchecked; `nil` if there is none.
  ///
  /// It may contain path separators. Do not use it as a path without a check.
  public var fileName: String? { ContentDisposition(headers[.contentDisposition] ?? "")["filename"] }

  /// The value of `Content-Range`; `nil` if it is absent or invalid.
  public var contentRange: ContentRange? { headers[.contentRange].flatMap(ContentRange.init) }

  /// Parses a multipart in memory.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` if the content type is not a multipart type or the multipart
  ///   is malformed, or of kind `limitExceeded`.
  public static func parts(
    of data: Data, contentType: String?, limits: MultipartLimits = MultipartLimits()
  ) throws(LupineError) -> [ReceivedPart] {
    var parser = try MultipartParser(boundary: MultipartBoundary.inContentType(contentType), limits: limits)
    var chunk = Array(data)[...]
    var parts: [ReceivedPart] = []
    var headers: HTTPFields = [:]
    var content = Data()
    while let event = try parser.next(in: &chunk), event != .ended {
      switch event {
      case .partBegan(let fields): (headers, content) = (fields, Data())
      case .content(let bytes): content.append(contentsOf: bytes)
      case .partEnded: parts.append(ReceivedPart(headers: headers, data: content))
      case .ended: break
      }
    }
    try parser.finish()
    return parts
  }
}
