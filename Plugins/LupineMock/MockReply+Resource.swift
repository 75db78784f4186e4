public import FoundationEssentials
import HTTPTypes

extension MockReply {
  /// Bytes as a server of files gives them, with an entity tag and by ranges.
  ///
  /// It answers `Range` with 206 or 416, `If-Range` by comparing strongly, `If-None-Match` with 304, `If-Match` with 412,
  /// and HEAD as GET without the bytes (RFC 9110 sections 13 and 14). A range that is malformed, of another unit, or one
  /// of several is left aside, as a server may. Stub it for both methods:
  ///
  /// ```swift
  /// mock.stub([.get, .head], "/big.bin", .resource(data, etag: "v1"))
  /// ```
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - etag: the entity tag; the quotes are added where they are missing, and `W/"…"` is a weak one. Default: none.
  ///   - lastModified: the value of `Last-Modified`. Default: none.
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
