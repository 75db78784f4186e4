import CLibcurl
import Glibc
import LupineCore
import Testing

@testable import LupineCurl

@Suite struct CurlErrorTests {
  @Test(
    arguments: [
      (6, 0, LupineError.Kind.hostNotFound), (7, ECONNREFUSED, .connectionRefused),
      (7, ENETUNREACH, .networkUnreachable),
      (7, EHOSTUNREACH, .networkUnreachable), (7, ETIMEDOUT, .connectionFailed), (28, 0, .timedOut(.connect)),
      (35, 0, .tlsFailed), (60, 0, .certificateRejected), (77, 0, .tlsFailed), (52, 0, .connectionLost),
      (55, 0, .connectionLost), (56, 0, .connectionLost), (18, 0, .connectionLost), (92, 0, .connectionLost),
      (16, 0, .connectionLost), (8, 0, .malformedResponse), (1, 0, .malformedResponse), (97, 0, .proxyFailed),
      (27, 0, .limitExceeded(.responseFields)),
    ] as [(UInt32, Int32, LupineError.Kind)])
  func `each code has a kind, and keeps its number and words`(
    _ code: UInt32, _ system: Int32, _ kind: LupineError.Kind
  ) {
    let error = CurlError.error(
      CURLcode(rawValue: code), text: "what libcurl said", system: system, hasConnection: false)
    #expect(error.kind == kind)
    #expect(error.message.hasSuffix("(libcurl \(code): what libcurl said)"))
  }

  @Test(
    arguments: [
      (52, "Empty reply from server", .malformedResponse),
      (56, "nghttp2_session_mem_recv() returned -904:Flooding was detected", .malformedResponse),
      (
        56, "nghttp2_session_mem_recv() returned -902:The user callback function failed",
        .limitExceeded(.responseFields)
      ),
      (56, "nghttp2_session_mem_recv() returned -905:Too many CONTINUATION frames", .limitExceeded(.responseFields)),
      (56, "Recv failure: Connection reset by peer", .connectionLost),
      (92, "HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .malformedResponse),
      (92, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .connectionLost),
      (92, "HTTP/2 stream 1 was not closed cleanly: ENHANCE_YOUR_CALM (err 11)", .connectionLost),
      (18, "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream", .connectionLost),
      (16, "", .connectionLost),
    ] as [(UInt32, String, LupineError.Kind)])
  func `a protocol error of HTTP 2 is not a lost connection`(
    _ code: UInt32, _ text: String, _ kind: LupineError.Kind
  ) {
    let error = CurlError.error(
      CURLcode(rawValue: code), text: text, system: 0, hasConnection: true, isMultiplexed: true)
    #expect(error.kind == kind)
  }

  @Test func `a malformed chunk is not a lost connection`() {
    let error = CurlError.error(
      CURLE_RECV_ERROR, text: "Illegal or missing hexadecimal sequence in chunked-encoding", system: 0,
      hasConnection: true)
    #expect(error.kind == .malformedResponse)
  }
}
