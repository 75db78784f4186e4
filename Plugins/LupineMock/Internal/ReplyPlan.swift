import FoundationEssentials
import HTTPTypes
import LupineCore

/// One reply, checked and ready to be given any number of times.
final class ReplyPlan: Sendable {
  let part: MockReply.Part
  let head: HTTPResponse
  let asked: StubDescription
  /// Why it cannot be given.
  let problem: LupineError?

  init(_ part: MockReply.Part, for asked: StubDescription) {
    self.part = part
    self.asked = asked
    var head = HTTPResponse(status: part.status, headerFields: part.fields)
    if let length = part.statedLength, part.fields[.contentLength] == nil {
      head.headerFields[.contentLength] = "\(length)"
    }
    self.head = head
    if let problem = part.problem {
      self.problem = asked.error(problem.reason, underlying: problem.underlying)
    } else {
      problem = part.contradiction(method: asked.method).map { asked.error($0) }
    }
  }

  /// Whether it can be given without waiting for anything.
  var isImmediate: Bool {
    guard case .bytes(let data) = part.content, data.count <= PieceSource.pieceSize else { return false }
    return part.delay == .zero && part.fault == nil && part.failure == nil
  }
}

extension MockReply.Part {
  /// Whether a response of this status has no content (RFC 9110 section 6.4.1).
  fileprivate var isWithoutContent: Bool { status.code == 204 || status.code == 304 }

  /// The length that the head tells where the reply does not set one.
  fileprivate var statedLength: Int64? {
    if isWithoutContent { return nil }
    switch content {
    case .bytes(let data): return Int64(data.count)
    case .chunks: return nil
    case .body(let body): return body.length
    }
  }

  private var knownLength: Int64? {
    if case .chunks(let chunks, _) = content { return chunks.reduce(0) { $0 + Int64($1.count) } }
    return statedLength
  }

  private var hasContent: Bool {
    switch content {
    case .bytes(let data): !data.isEmpty
    case .chunks: true
    case .body(let body): !body.isNone
    }
  }

  /// What in the reply contradicts itself.
  fileprivate func contradiction(method: HTTPRequest.Method) -> String? {
    if (100..<200).contains(status.code) {
      return "its status \(status.code) is an interim one; give it with .informational([…]) before a final reply."
    }
    if isWithoutContent, hasContent { return "a response of status \(status.code) has no body, but this one has." }
    if let interim = informational.first(where: { !(100..<200).contains($0.status.code) }) {
      return "its interim response has status \(interim.status.code), which is not between 100 and 199."
    }
    return lengthContradiction(method: method)
  }

  private func lengthContradiction(method: HTTPRequest.Method) -> String? {
    let lengths = fields[values: .contentLength]
    guard let first = lengths.first else { return nil }
    if lengths.count > 1 {
      return
        "it has \(lengths.count) Content-Length fields: \(lengths.joined(separator: ", ")). Keep one, or none: it is added."
    }
    guard let length = Int64(first), length >= 0 else {
      return "its Content-Length \"\(first)\" is no number of bytes."
    }
    if case .chunks = content { return "it is chunked and has a Content-Length; a response has one or the other." }
    guard method != .head, !isWithoutContent, let known = knownLength, known != length else { return nil }
    return "its Content-Length says \(length) bytes, but its body has \(known). "
      + "Leave the field out; for a body that ends too early on purpose use .truncated(afterBytes:)."
  }
}
