public import FoundationEssentials
import HTTPTypes

extension MockReply {
  /// A resource as a file server delivers it, with an entity tag and byte ranges.
  ///
  /// The reply answers `Range` with 206 or 416, `If-Range` with a strong comparison, `If-None-Match` and
  /// `If-Modified-Since` with 304, `If-Match` and `If-Unmodified-Since` with 412, and HEAD like GET without the bytes
  /// (RFC 9110 sections 13 and 14). A range that is malformed, has another unit or is one of several is ignored, as a
  /// server may do. A condition with an invalid date is ignored too. Each answer has the session's date as its `Date`,
  /// unless the reply sets another with `field(.date, …)`. Stub it for both methods:
  ///
  /// ```swift
  /// mock.stub([.get, .head], "/big.bin", .resource(data, etag: "v1"))
  /// ```
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - etag: the entity tag; missing quotes are added, and `W/"…"` is a weak tag. Default: none.
  ///   - lastModified: the value of `Last-Modified`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. If it is no date,
  ///     conditions with a date are ignored; `If-Range` accepts it once it is one second old. Default: none.
  ///   - contentType: the media type; `nil` sends none.
  public static func resource(
    _ data: Data, etag: String? = nil, lastModified: String? = nil,
    contentType: String? = "application/octet-stream"
  ) -> MockReply {
    var part = Part(status: .ok, content: .bytes(data))
    part.fields[.contentType] = contentType
    part.resource = Resource(data: data, etag: etag.map(Resource.quoted), lastModified: lastModified)
    return MockReply(part)
  }
}
