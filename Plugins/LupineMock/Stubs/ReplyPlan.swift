import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// One reply that is validated and can be given any number of times.
final class ReplyPlan: Sendable {
  let part: MockReply.Part
  let head: HTTPResponse
  let parameters: StubParameters
  /// The origin of a fault, for error messages.
  let cause: String
  /// Why the reply cannot be given; `nil` if it can.
  let problem: LupineError?
  /// The size of the fields, for the receiver's limits.
  let size: ReplySize
  /// Whether the status allows no content.
  let hasNoContent: Bool
  /// Whether the reply can be given without waiting.
  let isImmediate: Bool
  /// The parts of the reply that were sent early.
  let prelude: Prelude
  /// The metrics of a usual transfer of the reply.
  private let defaultMetrics: TransferMetrics

  /// - Parameter cause: the origin of the reply's faults; `nil` means the stub.
  init(
    _ part: MockReply.Part, for parameters: StubParameters, cause: String? = nil, after prelude: Prelude = Prelude()
  ) {
    let part = part.withContentFault
    self.prelude = prelude
    self.part = part
    self.parameters = parameters
    self.cause = cause ?? "as the stub at \(parameters.location) specifies."
    var head = HTTPResponse(status: part.status, headerFields: part.fields)
    let isFramed = part.fields[.contentLength] != nil || part.fields[.transferEncoding] != nil
    if !isFramed, let length = part.statedLength {
      head.headerFields[.contentLength] = "\(length)"
    }
    self.head = head
    hasNoContent = part.isWithoutContent
    isImmediate = part.isImmediate
    defaultMetrics = TransferMetrics(sent: 0, received: part.byteCount, .http1_1)
    size = ReplySize(head, part)
    if let problem = part.problem {
      self.problem = parameters.error(problem.reason, underlying: problem.underlying)
    } else {
      problem = part.contradiction(isHead: parameters.methods.only == .head).map { parameters.error($0) }
    }
  }

  /// Returns the reply adapted to the request.
  func resolved(for request: OutgoingRequest, in context: TransferContext) -> ReplyPlan {
    guard let resource = part.resource, problem == nil else { return self }
    let answer = resource.answer(request.headers, method: request.method, now: context.now(), with: part)
    return ReplyPlan(answer, for: parameters, cause: cause)
  }

  /// Returns the reply with the faults and delays of a simulation.
  ///
  /// - Parameter cause: the origin of a fault.
  func injecting(_ injection: FaultInjection, _ cause: String) -> ReplyPlan {
    var part = part
    part.delay += injection.delay
    if let fault = injection.fault { part.fault = fault }
    return ReplyPlan(part, for: parameters, cause: injection.fault == nil ? self.cause : cause)
  }

  /// Returns the reply without the parts that were sent early.
  func following(_ prelude: Prelude) -> ReplyPlan {
    var part = part
    part.informational = prelude.reportedInterim + prelude.rest(of: part.informational)
    return ReplyPlan(part, for: parameters, cause: cause, after: prelude)
  }

  /// Returns the stated length of a body that is delivered completely for this request; `nil` if none is stated.
  func statedLength(for request: OutgoingRequest) -> Int64? {
    guard hasBody(for: request), bytesBeforeFault == nil else { return nil }
    return head.headerFields[.contentLength].flatMap { Int64($0) }
  }

  /// Whether the reply is a fault that occurs before the request reaches the server.
  var isRefusal: Bool { part.fault?.isBeforeConnection == true }

  /// The number of bytes of the request's body that arrive before a fault of the reply; `nil` if all of them do.
  var bytesBeforeRequestFault: Int? { isRefusal ? 0 : part.fault?.requestBytesBeforeReset }

  /// Returns the metrics of a transfer with `sent` request bytes and `received` body bytes.
  func metrics(for request: OutgoingRequest, sent: Int, received: Int) -> TransferMetrics {
    let version = request.version
    if sent == 0, received == part.byteCount, version == nil { return defaultMetrics }
    return TransferMetrics(sent: sent, received: received, version ?? .http1_1)
  }
}

extension MockReply.Part {
  /// The reply changed by a fault that affects the content of the response, not its delivery.
  fileprivate var withContentFault: MockReply.Part {
    var part = self
    switch fault {
    case .compressedBomb(let count) where !isWithoutContent:
      part.content = .bytes(CompressedBomb.data(decodedBytes: count))
      part.fields[.contentLength] = nil
      part.fields[.contentEncoding] = "deflate"
    case .oversizedField(let count):
      part.fields[.oversized] = String(repeating: "a", count: min(max(0, count), 64 << 20))
    case .malformedChunk:
      part.fields[.contentLength] = nil
    default: break
    }
    return part
  }

  /// Whether a response with this status has no content (RFC 9110 section 6.4.1).
  fileprivate var isWithoutContent: Bool { status.code == 204 || status.code == 304 }

  /// The length that the head states if the reply does not set it.
  fileprivate var statedLength: Int64? {
    if isWithoutContent || fault == .malformedChunk { return nil }
    switch content {
    case .bytes(let data): return Int64(data.count)
    case .chunks: return nil
    case .body(let body): return body.length
    }
  }

  /// The number of bytes that the reply has in memory.
  fileprivate var byteCount: Int {
    if case .bytes(let data) = content { data.count } else { 0 }
  }

  fileprivate var isImmediate: Bool {
    guard case .bytes(let data) = content, data.count <= MockReply.Content.pieceSize else { return false }
    return delay == .zero && fault == nil && failure == nil && pace.isImmediate
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

  /// Returns a description of a contradiction in the reply; `nil` if there is none.
  fileprivate func contradiction(isHead: Bool) -> String? {
    if (100..<200).contains(status.code) {
      return "its status \(status.code) is an interim one; set it with .informational([…]) on a final reply."
    }
    if isWithoutContent, hasContent { return "a response of status \(status.code) has no body, but this one has." }
    if let interim = informational.first(where: { !(100..<200).contains($0.status.code) }) {
      return "its interim response has status \(interim.status.code), which is not between 100 and 199."
    }
    return lengthContradiction(isHead: isHead)
  }

  private func lengthContradiction(isHead: Bool) -> String? {
    let lengths = fields[values: .contentLength]
    if let coding = fields[.transferEncoding] {
      if !lengths.isEmpty { return "it has a Content-Length and a Transfer-Encoding; a response has one or the other." }
      // The response to HEAD may state how a body would be framed (RFC 9112 section 6.1).
      if !isHead, statedLength != nil {
        return
          "its Transfer-Encoding \(coding) contradicts the Content-Length that is added. Leave the field out, and "
          + "use .chunked([…]) for a body in chunks."
      }
    }
    guard let first = lengths.first else { return nil }
    if lengths.count > 1 {
      return
        "it has \(lengths.count) Content-Length fields: \(lengths.joined(separator: ", ")). Keep one, or none: it is added."
    }
    guard let length = Int64(first), length >= 0 else {
      return "its Content-Length \"\(first)\" is no number of bytes."
    }
    if case .chunks = content { return "it is chunked and has a Content-Length; a response has one or the other." }
    guard !isHead, !isWithoutContent, let known = knownLength, known != length else { return nil }
    return Self.lengthMismatch(length, "\(known)")
  }

  /// Returns the message for a reply whose stated length differs from its body.
  static func lengthMismatch(_ statedLength: Int64, _ found: String) -> String {
    "its Content-Length says \(statedLength) bytes, but its body has \(found). "
      + "Leave the field out; for a body that ends too early on purpose use .truncated(afterBytes:)."
  }
}

extension HTTPField.Name {
  static let oversized = HTTPField.Name(constant: "X-Oversized")
}

extension ReplyPlan {
  /// The reaction to a body that waits for 100 Continue.
  var continueReaction: ContinueReaction {
    if let continueReaction = part.continueReaction { return continueReaction }
    if part.informational.contains(where: { $0.status.code == 100 }) { return .sendContinue(after: .zero) }
    if problem != nil || part.failure != nil { return .sendFinalResponse(after: part.delay) }
    switch part.fault {
    case .stallBeforeHead: return .sendContinue(after: nil)
    case .resetBeforeHead, .goAway, .doubledLength: return .sendFinalResponse(after: part.delay)
    default: return refusesBody ? .sendFinalResponse(after: part.delay) : .sendContinue(after: .zero)
    }
  }

  /// Whether the status is one without need for the body: an error, or a redirect that repeats the body.
  private var refusesBody: Bool { part.status.code >= 400 || part.status.code == 307 || part.status.code == 308 }

  /// The interim responses up to 100 Continue.
  var continueResponses: [HTTPResponse] {
    guard let index = part.informational.firstIndex(where: { $0.status.code == 100 }) else {
      return [HTTPResponse(status: .continue)]
    }
    return Array(part.informational[...index])
  }
}

/// The parts of a reply that were sent while the request's body waited for 100 Continue.
struct Prelude: Sendable {
  /// The part of the reply's delay that has passed.
  var waited = Duration.zero
  /// The interim responses that have been reported.
  var reportedInterim: [HTTPResponse] = []
  /// Whether the connection has been reported.
  var isConnected = false

  /// Returns the interim responses of a reply that are not yet reported; 100 is reported once.
  func rest(of informational: [HTTPResponse]) -> [HTTPResponse] {
    if reportedInterim.isEmpty { return informational }
    if informational.starts(with: reportedInterim) { return Array(informational.dropFirst(reportedInterim.count)) }
    var rest = informational
    if let index = rest.firstIndex(where: { $0.status.code == 100 }) { rest.remove(at: index) }
    return rest
  }
}
