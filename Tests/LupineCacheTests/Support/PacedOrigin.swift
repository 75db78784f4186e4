import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock

/// A server that sends a content in pieces, and answers `Range` and `If-Range` if the entity tag is strong.
struct PacedOrigin: Sendable {
  let data: Data
  var tag: String? = "\"a\""
  var control = "max-age=60"
  /// The number of bytes of a piece.
  var piece = 1
  var interval = Duration.seconds(1)
  /// After how many bytes the connection is lost; `nil` for never.
  var resetAfter: Int?

  func reply(to request: RecordedRequest) -> MockReply {
    if let tag, request.headers[.ifNoneMatch] == tag {
      return .status(.notModified).fields([.eTag: tag, .cacheControl: control])
    }
    var first = 0
    if let tag, !tag.hasPrefix("W/"), request.headers[.ifRange] == tag, let range = request.headers[.range] {
      first = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
    }
    guard first < data.count else {
      return .status(.rangeNotSatisfiable).field(.contentRange, "bytes */\(data.count)")
    }
    let pieces = stride(from: first, to: data.count, by: piece).map { Data(data[$0..<min($0 + piece, data.count)]) }
    var fields: HTTPFields = [.cacheControl: control]
    fields[.eTag] = tag
    if first > 0 { fields[.contentRange] = "bytes \(first)-\(data.count - 1)/\(data.count)" }
    let reply = MockReply.status(first > 0 ? .partialContent : .ok).fields(fields).chunked(pieces, every: interval)
    return resetAfter.map { reply.reset(afterBytes: $0) } ?? reply
  }
}
