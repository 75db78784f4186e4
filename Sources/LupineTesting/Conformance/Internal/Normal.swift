import HTTPTypes
import LupineCore

/// Words for what happened that two transports must share.
enum Normal {
  /// Fields that differ by nature: of the moment, of the connection, and those that frame a message.
  private static let left: Set<String> = [
    "date", "server", "connection", "keep-alive", "transfer-encoding", "host", "content-length", "expect",
  ]

  static func text(_ head: HTTPResponse) -> String {
    let fields = RawFields(head.headerFields)
    return "\(head.status.code) \(head.status.reasonPhrase) [\(text(fields))]"
  }

  static func text(_ fields: RawFields) -> String {
    fields.filter { !left.contains($0.name.lowercased()) }.map(\.description).joined(separator: " | ")
  }

  static func text(_ request: PeerRequest) -> String {
    let body = request.isBodyComplete ? text(request.body) : "an unfinished body"
    return "\(request.method) \(request.target) [\(text(request.fields))] \(body)"
  }

  /// A length and a hash, and the bytes themselves where they are few; a hash means nothing to another process.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    guard bytes.count > 40 else { return "\(bytes.count) bytes “\(String(decoding: bytes, as: UTF8.self))”" }
    var hasher = Hasher()
    _ = bytes.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return "\(bytes.count) bytes, hash \(hasher.finalize())"
  }

  static func text(_ end: BodyEnd) -> String {
    let trailers = end.trailers.map { " trailers [\(text(RawFields($0)))]" } ?? ""
    let counts = "\(end.metrics.bytesSent) up, \(end.metrics.bytesReceived) down"
    return "\(text(end.data)), \(end.byteCount) at the sink\(trailers), \(counts)"
  }

  static func short(_ text: String) -> String {
    text.count <= 600 ? text : "\(text.prefix(600))… (\(text.count) characters)"
  }
}
