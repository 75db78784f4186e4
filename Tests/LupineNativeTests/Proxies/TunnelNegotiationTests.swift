import HTTPTypes
import LupineCore
import LupineFraming
import Testing

@testable import LupineNative

/// A proxy's responses to CONNECT, each in one piece, in two at every place, and byte by byte.
@Suite struct TunnelNegotiationTests {
  private static func negotiation(
    _ host: String = "example.com", authorization: String? = nil, limits: Limits = Limits()
  ) throws -> TunnelNegotiation {
    TunnelNegotiation(
      to: HTTPURL.Origin(scheme: .https, host: host, port: 443),
      authorization: authorization.map { HTTPField(name: .proxyAuthorization, value: $0) },
      through: try Proxy("http://ali:geheim@proxy.example.com"), limits, HeadCache())
  }

  private static func reading(_ text: String, _ limits: Limits = Limits()) throws -> Negotiating {
    try Negotiating.theSame(of: Array(text.utf8), try negotiation(limits: limits))
  }

  @Test(arguments: [("example.com", "example.com:443"), ("::1", "[::1]:443")])
  func `the request has the form of an authority, and carries nothing else`(host: String, target: String) throws {
    let head = String(decoding: try Self.negotiation(host).opening, as: UTF8.self)
    #expect(head == "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
  }

  @Test func `the credential for the proxy is a field of the request, and adds no line`() throws {
    let known = String(decoding: try Self.negotiation(authorization: "Basic dTpw").opening, as: UTF8.self)
    #expect(known.hasSuffix("\r\nHost: example.com:443\r\nProxy-Authorization: Basic dTpw\r\n\r\n"))
    let forged = String(decoding: try Self.negotiation(authorization: "Basic x\r\nX-Evil: 1").opening, as: UTF8.self)
    #expect(forged.split(separator: "\r\n").count == 3)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 Connection established\r\n\r\n", "HTTP/1.1 204 No\r\n\r\n",
    "HTTP/1.1 299 \r\nX-A: b\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
  ])
  func `a 2xx opens the tunnel, whatever its fields say about content`(text: String) throws {
    let result = try Self.reading(text)
    #expect(result.outcome.hasPrefix("open 2") && result.failure == nil && result.output.isEmpty)
    let shorter = try Self.reading(String(text.dropLast()))
    #expect(shorter.outcome == "incomplete" && shorter.failure == nil)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n\r\nx", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 204 No\r\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
  ])
  func `bytes after the head of a 2xx are an error`(text: String) throws {
    let result = try Self.reading(text)
    #expect(result.failure == .malformedResponse)
    #expect(result.message.contains("http://proxy.example.com:80") && !result.message.contains("geheim"))
  }

  @Test(arguments: [
    (407, "Proxy-Authenticate: Basic realm=x\r\nContent-Length: 4\r\n", "who?", 1),
    (403, "Transfer-Encoding: chunked\r\nContent-Type: text/html\r\n", "4\r\nwho?\r\n0\r\n\r\n", 0),
    (302, "Location: http://evil.example.com/\r\n", "", 1), (502, "", "no", 0),
    (304, "Content-Encoding: gzip\r\n", "", 0),
    (600, "", "", 0),
  ])
  func `any other status is a refusal without content`(
    status: Int, fields: String, content: String, count: Int
  ) throws {
    let result = try Self.reading("HTTP/1.1 \(status) No\r\n\(fields)\r\n\(content)")
    #expect(result.outcome == "refused \(status) \(count) fields" && result.failure == nil)
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\n\n",
    "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 200 OK\r\nX : a\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
    "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "\u{5}\0",
  ])
  func `what is not a head of HTTP 1 is an error that names the proxy`(text: String) throws {
    let result = try Self.reading(text)
    #expect(result.failure == .malformedResponse && result.message.contains("http://proxy.example.com:80"))
  }

  @Test func `the size of the head, its fields and the interim responses are limited`() throws {
    var limits = Limits()
    limits.responseFields = 100
    limits.responseFieldCount = 3
    limits.informationalResponses = 2
    let size = try Self.reading("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 200), limits)
    #expect(size.failure == .limitExceeded(.responseFields))
    let count = try Self.reading("HTTP/1.1 200 OK\r\n" + String(repeating: "X: a\r\n", count: 4), limits)
    #expect(count.failure == .limitExceeded(.responseFieldCount))
    let interim = try Self.reading(String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 3), limits)
    #expect(interim.failure == .limitExceeded(.informationalResponses))
  }
}
