import HTTPTypes
import LupineCore
import LupineFraming
import PeerSupport

@testable import LupineNative

/// A session of HTTP/2 with one stream, whose events are kept, and no connection.
final class SessionStage: HTTP2StreamUser {
  /// The events of the stream, in order; pieces of content are joined.
  private(set) var events: [String] = []
  let session: HTTP2Session
  private var content = ""
  private var output: [UInt8] = []
  private var fields: HTTP2RequestFields?
  private(set) var id: Int32 = 0
  /// Whether the session returns the window of content.
  var consumes = true

  init(_ limits: Limits = Limits(), method: HTTPRequest.Method = .get) throws {
    session = try HTTP2Session(HeadCache())
    let request = OutgoingRequest(url: try HTTPURL("http://localhost/"), method: method)
    let head = HTTP2RequestHead(request, length: nil, addsExpectation: false, reusing: &fields)
    id = try session.begin(head, hasContent: false, limits, self)
    compose()
  }

  /// The events after the bytes have arrived, cut before each of the places, and the connection has then ended.
  static func events(
    of bytes: [UInt8], cutAt places: [Int] = [], limits: Limits = Limits(), method: HTTPRequest.Method = .get
  ) throws -> [String] {
    let stage = try SessionStage(limits, method: method)
    for (start, end) in zip([0] + places, places + [bytes.count]) { stage.receive(bytes[start..<end]) }
    stage.session.fail(HTTP2Failure.lost)
    return stage.events
  }

  func receive(_ bytes: ArraySlice<UInt8>, at now: UInt64 = 0) {
    read(bytes, at: now)
    compose()
  }

  /// Reads bytes, in as many calls as the session needs, and composes nothing; returns the number of calls.
  @discardableResult
  func read(_ bytes: ArraySlice<UInt8>, at now: UInt64 = 0) -> Int {
    var (rest, calls) = (bytes, 0)
    while !rest.isEmpty {
      rest = rest.dropFirst(rest.withUnsafeBytes { session.receive($0, at: now) })
      calls += 1
    }
    return calls
  }

  /// Begins a second stream, and releases it.
  func openAnother() throws {
    let request = OutgoingRequest(url: try HTTPURL("http://localhost/"))
    let head = HTTP2RequestHead(request, length: nil, addsExpectation: false, reusing: &fields)
    let id = try session.begin(head, hasContent: false, Limits(), self)
    compose()
    session.abandon(id)
    compose()
  }

  /// Composes everything, and returns it.
  @discardableResult
  func compose() -> [UInt8] {
    output = []
    session.composeOutput(into: &output, limit: .max)
    return output
  }

  private func append(_ event: String) {
    if !content.isEmpty { events.append("content \(content)") }
    content = ""
    events.append(event)
  }

  func streamReceived(interim head: HTTPResponse) { append("interim \(head.status.code)") }

  func streamReceived(head: ReceivedHead) {
    append("head \(head.statusLine.code) \(head.response.headerFields.map { "\($0.name)=\($0.value)" })")
  }

  func streamReceived(content: UnsafeRawBufferPointer) {
    self.content += String(decoding: content, as: UTF8.self)
    if consumes { session.consume(content.count, of: id) }
  }

  func streamEnded(trailers: HTTPFields?) {
    append("end \(trailers.map { $0.map { "\($0.name)=\($0.value)" } } ?? [])")
  }

  func streamClosed(_ error: LupineError?) {
    if let error { append("closed \(error.kind)\(error.isUnprocessed ? ", unprocessed" : "")") }
    session.abandon(id)
  }

  func streamSentHead() {}
  func streamSentEnd() {}
  func streamContent(into space: UnsafeMutableRawBufferPointer) -> HTTP2Content { .pending }
}
