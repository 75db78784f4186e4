import CLibcurl
import Glibc
import LupineCore
import LupineEventLoop
import Testing

@testable import LupineCurl

@Suite struct FailedTransferTests {
  private static func transfer(
    _ code: CURLcode, through proxy: String? = nil, _ change: (inout ConnectionKey) -> Void = { _ in }
  ) throws -> FailedTransfer {
    var key = ConnectionKey()
    key.proxy = try proxy.map { (text) throws(LupineError) in try Proxy(text) }
    change(&key)
    return FailedTransfer(
      code: code, url: try HTTPURL("https://example.com/"), route: Route(key, .http1_1), text: "its words")
  }

  @Test(
    arguments: [
      (CURLPX_USER_REJECTED, "does not accept the name and password"), (CURLPX_NO_AUTH, "requires authentication"),
      (CURLPX_REPLY_NOT_ALLOWED, "forbid the connection"), (CURLPX_REPLY_TTL_EXPIRED, "made no connection"),
    ])
  func `the reply of a SOCKS proxy decides the message`(_ reply: CURLproxycode, _ message: String) throws {
    var transfer = try Self.transfer(CURLE_PROXY, through: "socks5://proxy.example:1080")
    transfer.proxyReply = reply
    #expect(transfer.error.kind == .proxyFailed)
    #expect(transfer.error.message.contains(message))
    #expect(transfer.error.message.hasSuffix("(libcurl 97: its words)"))
  }

  @Test func `only an unreachable target is worth another address`() throws {
    var transfer = try Self.transfer(CURLE_PROXY, through: "socks5://proxy.example:1080")
    #expect(!transfer.concernsTarget)
    transfer.proxyReply = CURLPX_REPLY_HOST_UNREACHABLE
    #expect(transfer.concernsTarget)
    transfer.proxyReply = CURLPX_USER_REJECTED
    #expect(!transfer.concernsTarget)
    transfer.proxyReply = CURLPX_REPLY_HOST_UNREACHABLE
    transfer.hasConnection = true
    #expect(!transfer.concernsTarget)
  }

  @Test(
    arguments: [
      (CURLE_COULDNT_CONNECT, LupineError.Kind.proxyFailed, "made no connection"),
      (CURLE_GOT_NOTHING, .proxyFailed, "ended the connection before the request was sent"),
      (CURLE_SSL_CONNECT_ERROR, .tlsFailed, "The TLS connection to the proxy"),
      (CURLE_PEER_FAILED_VERIFICATION, .certificateRejected, "The TLS connection to the proxy"),
    ])
  func `before a connection exists, the proxy has failed`(
    _ code: CURLcode, _ kind: LupineError.Kind, _ message: String
  ) throws {
    var transfer = try Self.transfer(code, through: "https://proxy.example:3128")
    #expect(transfer.error.kind == kind)
    #expect(transfer.error.message.contains(message))
    transfer.hasConnection = true
    #expect(!transfer.error.message.contains("proxy"))
  }

  @Test func `a TLS failure behind an open tunnel is the server's`() throws {
    var transfer = try Self.transfer(CURLE_SSL_CONNECT_ERROR, through: "https://proxy.example:3128")
    transfer.connectCode = 200
    #expect(transfer.error.kind == .tlsFailed)
    #expect(!transfer.error.message.contains("proxy"))
  }

  @Test func `an interim response to CONNECT names the transport that opens the tunnel`() throws {
    var transfer = try Self.transfer(CURLE_RECV_ERROR, through: "http://proxy.example:3128")
    transfer.interimCode = 103
    #expect(transfer.error.kind == .proxyFailed)
    #expect(transfer.error.message.contains("interim response (103)"))
  }

  @Test func `the address that the policy refused is the reason for a missing connection`() throws {
    var transfer = try Self.transfer(CURLE_COULDNT_CONNECT)
    #expect(transfer.error.kind == .connectionFailed)
    transfer.refusedAddress = IPAddress("10.0.0.1")
    #expect(transfer.error.kind == .addressRefused)
  }

  @Test func `a Unix-domain socket is named`() throws {
    let transfer = try Self.transfer(CURLE_COULDNT_CONNECT) { $0.unixSocket = "/run/example.sock" }
    #expect(transfer.error.kind == .connectionFailed)
    #expect(transfer.error.message.contains("/run/example.sock"))
  }

  @Test func `a missing descriptor is the reason before anything else`() throws {
    var transfer = try Self.transfer(CURLE_COULDNT_CONNECT, through: "http://proxy.example:3128")
    transfer.socketError = SystemError(code: EMFILE)
    transfer.isUnprocessed = true
    #expect(transfer.error.message.contains("A socket cannot be created"))
    transfer.hasConnection = true
    #expect(transfer.error.isUnprocessed)
  }
}
