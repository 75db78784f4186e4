import HTTPTypes
import LupineCore
import LupineFoundation
import Synchronization

/// An exchange whose head has arrived.
struct StagedExchange: Sendable {
  let stage: ConformanceStage
  let name: String
  let head: HTTPResponse
  let body: ResponseBody
  let source: TransportResponse.Source
  let log: ExchangeRecord
  /// Whether the transcript has the number of bytes that were sent.
  let countsSent: Bool

  /// Waits for the end of the body, and adds the exchange to the transcript.
  func end() async throws(LupineError) -> BodyEnd {
    let interim = log.informational.map { "after \(NormalizedText.text($0)) " }.joined()
    let title = "\(name) brought \(interim)\(NormalizedText.text(head))"
    do throws(LupineError) {
      let end = try await body.end()
      stage.record("\(title) \(NormalizedText.text(end, countingSent: countsSent))")
      return end
    } catch {
      stage.record("\(title) and failed: \(error.kind)")
      throw error
    }
  }

  /// Reads all pieces of a streamed body.
  func readAll() async throws(LupineError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await body.next() { bytes += piece }
    return bytes
  }
}

/// A response whose body has ended.
struct FetchedResponse: Sendable {
  let head: HTTPResponse
  let end: BodyEnd
  let source: TransportResponse.Source
  let log: ExchangeRecord

  var status: Int { head.status.code }
  var text: String { String(decoding: end.data, as: UTF8.self) }
}

/// The events that a transport emitted during an exchange.
final class ExchangeRecord: Sendable {
  private let events = Mutex<[SessionEvent.Kind]>([])

  func append(_ event: SessionEvent.Kind) { events.withLock { $0.append(event) } }

  var informational: [HTTPResponse] {
    events.withLock { $0 }.compactMap { if case .informational(let head) = $0 { head } else { nil } }
  }

  /// The numbers of bytes of the events `sent`.
  var sent: [Int64] {
    events.withLock { $0 }.compactMap { if case .sent(let count) = $0 { count } else { nil } }
  }

  /// The hosts of the events `nameResolved`.
  var resolvedHosts: [String] {
    events.withLock { $0 }.compactMap { if case .nameResolved(let host, _) = $0 { host } else { nil } }
  }

  var reused: [Bool] {
    events.withLock { $0 }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }
}

/// Normalized texts for transcripts, which are the same for all conforming transports.
enum NormalizedText {
  /// The excluded fields: those that depend on the time or the connection, and those that frame a message.
  private static let excludedFields: Set<String> = [
    "date", "server", "connection", "keep-alive", "transfer-encoding", "host", "content-length", "expect",
  ]

  static func text(_ head: HTTPResponse) -> String {
    let fields = RawFields(head.headerFields)
    return "\(head.status.code) \(head.status.reasonPhrase) [\(text(fields))]"
  }

  static func text(_ fields: RawFields) -> String {
    fields.filter { !excludedFields.contains($0.name.lowercased()) }.map(\.description).joined(separator: " | ")
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

  static func text(_ end: BodyEnd, countingSent countsSent: Bool) -> String {
    let trailers = end.trailers.map { " trailers [\(text(RawFields($0)))]" } ?? ""
    let counts = "\(countsSent ? "\(end.metrics.bytesSent)" : "some") up, \(end.metrics.bytesReceived) down"
    return "\(text(end.data)), \(end.byteCount) at the sink\(trailers), \(counts)"
  }

  static func short(_ text: String) -> String {
    text.count <= 600 ? text : "\(text.prefix(600))… (\(text.count) characters)"
  }
}
