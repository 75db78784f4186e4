public import FoundationEssentials
import HTTPTypes

extension MockReply {
  /// Bytes as a server of files gives them, with an entity tag and by ranges.
  ///
  /// It answers `Range` with 206 or 416, `If-Range` by comparing strongly, `If-None-Match` and `If-Modified-Since` with 304,
  /// `If-Match` and `If-Unmodified-Since` with 412, and HEAD as GET without the bytes (RFC 9110 sections 13 and 14). A range
  /// that is malformed, of another unit, or one of several is left aside, as a server may, and so is a condition whose date
  /// is none. Each answer has the session's date as its `Date`, unless the reply is given another by `field(.date, …)`.
  /// Stub it for both methods:
  ///
  /// ```swift
  /// mock.stub([.get, .head], "/big.bin", .resource(data, etag: "v1"))
  /// ```
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - etag: the entity tag; the quotes are added where they are missing, and `W/"…"` is a weak one. Default: none.
  ///   - lastModified: the value of `Last-Modified`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. Conditions by date are left
  ///     aside where it is no date; `If-Range` takes it once it is a second old. Default: none.
  ///   - contentType: their media type; `nil` sends none.
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
