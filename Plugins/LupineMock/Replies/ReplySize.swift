import HTTPTypes
import LupineCore

/// The size of a reply without its body, in the format of HTTP/1.1 (RFC 9112 section 2.1).
struct ReplySize: Sendable {
  private struct Section {
    let fields: Int
    let bytes: Int
  }

  private let head: Section
  private let interim: [Section]
  private let trailers: Section

  init(_ head: HTTPResponse, _ part: MockReply.Part) {
    self.head = Self.section(head)
    interim = part.informational.map(Self.section)
    trailers =
      part.trailers.map { Section(fields: $0.count, bytes: Self.bytes($0) + 2) } ?? Section(fields: 0, bytes: 0)
  }

  /// Throws if the head, or an interim response, exceeds a limit.
  func check(_ limits: Limits) throws(LupineError) {
    for (index, section) in interim.enumerated() {
      try check(section, limits)
      try Self.keep(index + 1, to: limits.informationalResponses, .informationalResponses)
    }
    try check(head, limits)
  }

  /// Throws if the trailers exceed a limit.
  func checkTrailers(_ limits: Limits) throws(LupineError) {
    try Self.keep(trailers.fields, to: limits.responseFieldCount, .responseFieldCount)
    try Self.keep(trailers.bytes, to: limits.trailers, .trailers)
  }

  private func check(_ section: Section, _ limits: Limits) throws(LupineError) {
    try Self.keep(section.fields, to: limits.responseFieldCount, .responseFieldCount)
    try Self.keep(section.bytes, to: limits.responseFields, .responseFields)
  }

  private static func keep(_ count: Int, to limit: Int, _ name: Limits.Name) throws(LupineError) {
    guard count > limit else { return }
    throw LupineError(.limitExceeded(name), "The response exceeds \(limit), the limit \(name.rawValue).")
  }

  private static func section(_ head: HTTPResponse) -> Section {
    let line = "HTTP/1.1 000 \r\n\r\n".utf8.count + head.status.reasonPhrase.utf8.count
    return Section(fields: head.headerFields.count, bytes: line + bytes(head.headerFields))
  }

  private static func bytes(_ fields: HTTPFields) -> Int {
    fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.withUnsafeBytesOfValue(\.count) + 4 }
  }
}
