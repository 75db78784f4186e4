import CNghttp2
import HTTPTypes
import LupineCore
import LupineFraming
import Testing

@testable import LupineNative

/// The priorities of RFC 9218 that a client sends.
@Suite struct PriorityTests {
  /// The values of the fields `priority` that are sent for a request.
  private func priorities(_ priority: OutgoingRequest.Priority, _ headers: HTTPFields = [:]) throws -> [String] {
    var request = OutgoingRequest(url: try HTTPURL("http://localhost/"), headers: headers)
    request.options.priority = priority
    var fields: HTTP2RequestFields?
    let head = HTTP2RequestHead(request, length: nil, addsExpectation: false, reusing: &fields)
    return head.withFields { fields in
      fields.compactMap { field in
        let name = String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self)
        let value = String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)
        return name == "priority" ? value : nil
      }
    }
  }

  @Test func `a priority is sent as an urgency, and the default priority is not sent`() throws {
    #expect(try priorities(.high) == ["u=1"])
    #expect(try priorities(.normal) == [])
    #expect(try priorities(.low) == ["u=5"])
  }

  @Test(arguments: OutgoingRequest.Priority.allCases)
  func `a field Priority of the request is sent unchanged, and no other priority`(
    priority: OutgoingRequest.Priority
  ) throws {
    #expect(try priorities(priority, [.priority: "u=2, i"]) == ["u=2, i"])
    var twice: HTTPFields = [.priority: "u=6"]
    twice.append(HTTPField(name: .priority, value: "i"))
    #expect(try priorities(priority, twice) == ["u=6", "i"])
  }

  /// The frames that the client sends for a request with this priority.
  private func frames(_ priority: OutgoingRequest.Priority) throws -> [(type: UInt8, flags: UInt8, payload: [UInt8])] {
    let stage = try RequestStage(priority)
    var bytes = stage.output.dropFirst(24)
    var frames: [(type: UInt8, flags: UInt8, payload: [UInt8])] = []
    while bytes.count >= 9 {
      let header = Array(bytes.prefix(9))
      let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
      frames.append((header[3], header[4], Array(bytes.dropFirst(9).prefix(length))))
      bytes = bytes.dropFirst(9 + length)
    }
    return frames
  }

  @Test(arguments: OutgoingRequest.Priority.allCases)
  func `the SETTINGS renounce the priorities of RFC 7540, and no frame has them`(
    priority: OutgoingRequest.Priority
  ) throws {
    let frames = try frames(priority)
    let settings = try #require(frames.first)
    #expect(settings.type == 4)
    let entries = stride(from: 0, to: settings.payload.count, by: 6).map { Array(settings.payload[$0..<($0 + 6)]) }
    // SETTINGS_NO_RFC7540_PRIORITIES (RFC 9218 section 2.1).
    #expect(entries.contains([0, 9, 0, 0, 0, 1]))
    #expect(!frames.contains { $0.type == 2 })
    let head = try #require(frames.first { $0.type == 1 })
    #expect(head.flags & 0x20 == 0)
  }

  /// Sends one request in a session, and keeps the bytes that the session sends.
  private final class RequestStage: HTTP2StreamUser {
    private(set) var output: [UInt8] = []

    init(_ priority: OutgoingRequest.Priority) throws {
      let session = try HTTP2Session(HeadCache())
      var request = OutgoingRequest(url: try HTTPURL("http://localhost/"))
      request.options.priority = priority
      var fields: HTTP2RequestFields?
      let head = HTTP2RequestHead(request, length: nil, addsExpectation: false, reusing: &fields)
      _ = try session.begin(head, hasContent: false, Limits(), self)
      session.composeOutput(into: &output, limit: .max)
      session.fail(HTTP2Failure.lost)
    }

    func streamReceived(interim head: HTTPResponse) {}
    func streamReceived(head: ReceivedHead) {}
    func streamReceived(content: UnsafeRawBufferPointer) {}
    func streamEnded(trailers: HTTPFields?) {}
    func streamClosed(_ error: LupineError?) {}
    func streamSentHead() {}
    func streamSentEnd() {}
    func streamContent(into space: UnsafeMutableRawBufferPointer) -> HTTP2Content { .pending }
  }
}
