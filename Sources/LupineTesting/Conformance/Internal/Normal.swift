import HTTPTypes
import LupineCore

/// Normalized texts for transcripts, which are the same for all conforming transports.
enum Normal {
  /// The excluded fields: those that depend on the time or the connection, and those that frame a message.
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

  /// Returns the length, and the bytes as text if there are at most 40, otherwise a hash.
  ///
  /// The hash is comparable only within the process.
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
