public import FoundationEssentials
public import HTTPTypes
public import LupineCore
public import LupineSession

/// A part that has arrived, complete.
public struct ReceivedPart: Sendable, Hashable {
  /// What the part's fields say.
  public let headers: HTTPFields
  /// The part's content.
  public let data: Data

  /// Joins fields and content.
  public init(headers: HTTPFields, data: Data) {
    self.headers = headers
    self.data = data
  }

  /// The content as text; bytes that are not UTF-8 become U+FFFD.
  public var text: String { String(decoding: data, as: UTF8.self) }

  /// The name that a form gives the part; `nil` where it has none.
  public var name: String? { ContentDisposition(headers[.contentDisposition] ?? "")["name"] }

  /// The file name that the sender gives the part, as it stands; it may hold path separators, so never open it unchecked.
  public var fileName: String? { ContentDisposition(headers[.contentDisposition] ?? "")["filename"] }

  /// Which bytes of a larger whole the part has; `nil` where it does not say so.
  public var contentRange: ContentRange? { headers[.contentRange].flatMap(ContentRange.init) }

  /// The parts of a multipart that is in memory.
  ///
  /// - Throws: `LupineError` of kind `serializationFailed` where the content type is no multipart's or the multipart is
  ///   malformed, or of kind `limitExceeded`.
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
