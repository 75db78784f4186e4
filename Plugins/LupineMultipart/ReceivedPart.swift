public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineSession
import LupineSupport

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
  public var contentRange: ContentRange? { headers.singleton(.contentRange).flatMap(ContentRange.init) }

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

/// Parses a multipart response, such as several byte ranges of a file, into complete parts in memory.
public struct MultipartResponseSerializer: ResponseSerializer {
  private let limits: MultipartLimits

  /// Sets the limits of the multipart.
  public init(limits: MultipartLimits = MultipartLimits()) { self.limits = limits }

  /// Returns the parts in their order.
  ///
  /// - Throws: the errors of `ReceivedPart.parts(of:contentType:limits:)`.
  public func serialize(_ response: ReceivedResponse) throws(LupineError) -> [ReceivedPart] {
    let contentType = response.head.headerFields.singleton(.contentType)
    return try ReceivedPart.parts(of: response.data, contentType: contentType, limits: limits)
  }
}

extension ResponseSerializer where Self == MultipartResponseSerializer {
  /// The parts of a multipart response.
  public static var multipart: Self { Self() }
}

extension ValueRequest {
  /// Returns a task that parses a multipart response into its parts.
  public func serializingMultipart(limits: MultipartLimits = MultipartLimits()) -> DataTask<[ReceivedPart]> {
    serializingResponse(using: MultipartResponseSerializer(limits: limits))
  }
}
