import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession

/// Describes the rest of a response whose beginning has arrived, and recognises it.
struct ResponseRest: Sendable {
  /// What of another response continues the beginning.
  struct Continuation: Sendable {
    /// The number of bytes that the beginning has already.
    let skipped: Int64
    /// The number of bytes after them; `nil` if it is not known.
    let length: Int64?
    /// Whether the beginning was the whole, so that the body is not part of the content.
    var isOver = false
  }

  let candidate: Candidate
  /// The length of the beginning.
  let position: Int64
  /// The length of the whole; `nil` if it is not known.
  let total: Int64?

  /// Whether a strong validator proves that other bytes are of the same content.
  var isProven: Bool { candidate.strongValidator != nil }

  /// The fields that request the rest; none if all of the content must be requested.
  var fields: HTTPFields {
    guard position > 0, candidate.head.status == .ok, let validator = candidate.strongValidator else { return [:] }
    return [.range: "bytes=\(position)-", .ifRange: validator.text]
  }

  /// What of a response continues the beginning; `nil` if it is another content, or cannot be told.
  func continuation(in response: TransportResponse) -> Continuation? {
    let head = response.head
    guard response.source == .origin else { return nil }
    if head.status == .partialContent {
      guard let part = ContentPart(0..<position, of: total),
        let rest = CacheExchange.rest(in: head, after: candidate, part)
      else { return nil }
      return Continuation(skipped: 0, length: rest.length)
    }
    let fields = head.headerFields
    // The server has found the validator current, and no bytes after the beginning (RFC 9110 section 15.5.17).
    if head.status == .rangeNotSatisfiable, isProven, position > 0, fields[.contentRange] == "bytes */\(position)" {
      return Continuation(skipped: 0, length: 0, isOver: true)
    }
    let names: [HTTPField.Name] = [.contentEncoding, .contentType, .eTag, .lastModified]
    guard head.status == candidate.head.status, !head.hasContradictoryRange,
      names.allSatisfy({ fields[$0] == candidate.head.headerFields[$0] })
    else { return nil }
    let stated = fields[.contentLength].flatMap { Int64($0) }
    if let stated, let total, stated != total { return nil }
    let length = stated ?? total
    guard length ?? .max >= position else { return nil }
    return Continuation(skipped: position, length: length.map { $0 - position })
  }
}
