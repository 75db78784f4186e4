import HTTPTypes
import LupineCore
import LupineFraming

@testable import LupineNative

/// The result of a request, and the checks of what the session reports about it.
final class FuzzedRequest: HTTP2StreamUser {
  /// The requests of a connection, on the streams 1, 3, 5 and 7.
  enum Kind: Int, CaseIterable {
    case get, head
    /// A request whose content is sent, and one whose content never becomes available.
    case post, pending

    var method: HTTPRequest.Method {
      switch self {
      case .get: .get
      case .head: .head
      case .post, .pending: .post
      }
    }
  }

  private let kind: Kind
  private let plan: FuzzPlan
  private unowned let session: HTTP2Session
  private var id: Int32 = 0
  /// The heads and the trailers.
  private var sections: [String] = []
  private var content: [UInt8] = []
  private var hasHead = false
  private var hasEnded = false
  private var isClosed = false
  /// Whether the request has released its stream, so that the session calls it no more.
  private var isReleased = false
  private var failure: String?
  private var unsentCount = 300

  init(_ kind: Kind, _ session: HTTP2Session, _ plan: FuzzPlan) {
    self.kind = kind
    self.session = session
    self.plan = plan
  }

  func begin() throws(LupineError) {
    // Limits that a short input can exceed.
    var limits = Limits()
    limits.responseFields = 1_024
    limits.responseFieldCount = 16
    limits.informationalResponses = 2
    limits.trailers = 128
    let request = OutgoingRequest(url: try HTTPURL("http://localhost/"), method: kind.method)
    let hasContent = kind.method == .post
    var fields: HTTP2RequestFields?
    let length = hasContent ? Int64(unsentCount) : nil
    let head = HTTP2RequestHead(request, length: length, addsExpectation: false, reusing: &fields)
    id = try session.begin(head, hasContent: hasContent, limits, self)
  }

  private func checkOpen() { precondition(!isClosed && !isReleased && !hasEnded, "Something follows the end.") }

  private func release() {
    isReleased = true
    session.abandon(id)
  }
}

// The calls of the session.
extension FuzzedRequest {
  func streamReceived(interim head: HTTPResponse) {
    checkOpen()
    precondition(!hasHead, "An interim head follows the head.")
    record(head)
  }

  func streamReceived(head: ReceivedHead) {
    checkOpen()
    precondition(!hasHead, "A second head arrives.")
    hasHead = true
    record(head.response)
    if plan.releasesAtHead { release() }
  }

  private func record(_ head: HTTPResponse) {
    let fields = head.headerFields.map { "\($0.name.canonicalName)=\($0.value)" }
    precondition(fields.joined().utf8.count <= 4_096, "The head is larger than its limit.")
    sections.append("\(head.status.code) \(fields)")
  }

  func streamReceived(content: UnsafeRawBufferPointer) {
    checkOpen()
    precondition(hasHead && !content.isEmpty, "Content precedes the head, or is empty.")
    self.content += content
    if plan.takesContent { session.consume(content.count, of: id) }
  }

  func streamEnded(trailers: HTTPFields?) {
    checkOpen()
    precondition(hasHead, "The response ends without a head.")
    hasEnded = true
    if let trailers { sections.append("\(trailers.map { "\($0.name.canonicalName)=\($0.value)" })") }
    if plan.releases { release() }
  }

  func streamClosed(_ error: LupineError?) {
    precondition(!isClosed && !isReleased, "A stream is closed twice, or after its release.")
    precondition(hasEnded == (error == nil), "A stream is closed with \(error as Any).")
    isClosed = true
    failure = error.map { "\($0.kind)\($0.isUnprocessed ? ", unprocessed" : "")" }
    if error?.isUnprocessed == true { precondition(!hasHead, "A request with a response is unprocessed.") }
    release()
  }

  func streamSentHead() {}
  func streamSentEnd() { precondition(unsentCount == 0 || kind.method != .post, "The content is not sent.") }

  func streamContent(into space: UnsafeMutableRawBufferPointer) -> HTTP2Content {
    guard kind == .post else { return .pending }
    let count = min(space.count, unsentCount)
    space[..<count].initializeMemory(as: UInt8.self, repeating: 0x61)
    unsentCount -= count
    return .bytes(count, isLast: unsentCount == 0)
  }
}

// The checks after the end of the connection.
extension FuzzedRequest {
  /// Checks the result against another reading of the server's frames.
  func check(against scan: StreamScan) {
    precondition(isReleased || hasEnded, "A request has not ended.")
    let stream = scan.streams[id] ?? StreamScan.Stream()
    precondition(stream.content.starts(with: content), "The content is not that of the frames.")
    guard hasEnded else { return }
    precondition(stream.hasEnded, "The response is whole without END_STREAM.")
    precondition(content == stream.content, "The content is incomplete.")
  }

  /// Checks that another reading has the same result.
  ///
  /// The content before an error may differ in length: the session refuses the whole of a piece that exceeds the stated
  /// length.
  func check(isLike other: FuzzedRequest) {
    let same = sections == other.sections && hasEnded == other.hasEnded && failure == other.failure
    precondition(same, "\(description) and, when cut, \(other.description)")
    let isPart = content.starts(with: other.content) || other.content.starts(with: content)
    precondition(hasEnded ? content == other.content : isPart, "The content differs when the bytes are cut.")
  }

  private var description: String {
    "\(kind): \(sections), \(content.count) bytes, ended: \(hasEnded), \(failure ?? "no error")"
  }
}
