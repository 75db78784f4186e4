import Foundation
import Glibc
import LupineCore
import LupineMock
import LupineSession
import Testing
import Synchronization
import TransportSupport

/// Link-local addresses with a zone (RFC 6874), over an address of this machine if it has one.
@Suite struct ZoneTests {
  /// A link-local address of this machine, with the name and the number of its interface.
  struct LinkLocal: Sendable {
    let address: String
    let interface: String
    let number: String

    static let first: LinkLocal? = {
      guard let table = try? String(contentsOf: URL(filePath: "/proc/net/if_inet6"), encoding: .utf8) else {
        return nil
      }
      for line in table.split(separator: "\n") {
        let columns = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        guard columns.count == 6, columns[0].hasPrefix("fe80"), let number = UInt32(columns[1], radix: 16) else {
          continue
        }
        let groups = stride(from: 0, to: 32, by: 4).map { String(columns[0].dropFirst($0).prefix(4)) }
        return LinkLocal(address: groups.joined(separator: ":"), interface: columns[5], number: "\(number)")
      }
      return nil
    }()
  }

  @Test func `the host of a URL has the zone, and its authority has none`() throws {
    let url = try HTTPURL("HTTP://[FE80::0:1%25Eth0.1]:8080/a?b")
    #expect(url.string == "http://[fe80::1%25Eth0.1]:8080/a?b")
    #expect(url.host == "fe80::1%Eth0.1")
    #expect(url.hostWithoutZone == "fe80::1")
    #expect(url.authority == "[fe80::1]:8080")
    #expect(url.origin.description == "http://[fe80::1%25Eth0.1]:8080")
    #expect(try HTTPURL(url.string) == url)
    #expect(try HTTPURL("http://[fe80::1%25Eth0.1]/").authority == "[fe80::1]")
    #expect(try HTTPURL(url.string).origin != HTTPURL("http://[fe80::1%25eth1]:8080/").origin)
    #expect(try url.resolving(location: "/c").host == url.host)
    let address = try #require(IPAddress(host: url.host))
    #expect(address.zone == "Eth0.1")
    #expect("\(address)" == url.host)
    #expect(IPAddress(url.host) == nil)
    #expect(throws: LupineError.self) { try Proxy("http://[fe80::1%25eth0]:3128") }
  }

  @Test(arguments: [
    "[fe80::1%eth0]", "[fe80::1%25]", "[fe80::1%2eth0]", "[2001:db8::1%25eth0]", "[::1%25lo]", "[ff02::1%25eth0]",
    "[fe80::1%25a%62]", "[fe80::1%25abcdefghijklmnop]", "[fe80::1%25ü]", "[fe80::1%25a/b]", "[fe80::1%25eth0",
    "[%25eth0]",
    "[fe80::1%25a b]", "[fe80::1%25a:b]", "fe80::1%25eth0", "127.0.0.1%25lo",
  ])
  func `another zone, and the zone of another address, are refused`(_ host: String) {
    #expect(throws: LupineError.self) { try HTTPURL("http://\(host)/") }
  }

  @Test(.overEachTransport, .enabled(if: LinkLocal.first != nil, "this machine has no link-local address"))
  func `a request to a link-local address goes through the interface of its zone`() async throws {
    let own = try #require(LinkLocal.first)
    let server = try LinkLocalServer(own)
    defer { server.stop() }
    let session = try Session.Builder().transport(TestTransport.make()).build()
    for zone in [own.interface, own.number] {
      let url = "http://[\(own.address)%25\(zone)]:\(server.port)/"
      #expect(try await session.request(url).serializingString().value == "here")
    }
    let host = try HTTPURL("http://[\(own.address)]:\(server.port)/").authority
    #expect(server.heads.map { $0.contains("\r\nHost: \(host)\r\n") } == [true, true])
    let missing = await session.request("http://[\(own.address)%25nowhere9]:\(server.port)/").serializingData().response
    #expect(missing.error?.isLostConnection == true)
    await session.shutdown()
  }

  @Test(.overEachTransport)
  func `a policy refuses a link-local address with a zone`() async throws {
    let session = try Session.Builder().transport(TestTransport.make()).networkPolicy(.publicInternetOnly).build()
    let response = await session.request("http://[fe80::1%25lo]:9/").serializingData().response
    #expect(response.error?.kind == .addressRefused)
    await session.shutdown()
  }

  @Test func `the mock takes the host with its zone, and a pattern the address alone`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "http://[fe80::1%25eth0]/", .text("here"))
    let session = try Session.Builder().transport(mock).trust(["fe80::1": .refuse]).build()
    #expect(try await session.request("http://[fe80::1%25eth0]/").serializingString().value == "here")
    #expect(mock.requests.first?.url.host == "fe80::1%eth0")
    let refused = await session.request("https://[fe80::1%25eth0]/").serializingString().response
    #expect(refused.error?.message.contains("trust evaluator") == true)
  }

  @Test func `a zone is not sent to a proxy, for which it has no meaning`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("here"))
    let session = try Session.Builder().transport(mock)
      .proxy("http://proxy.example.com:3128", except: ["fe80::2"]).build()
    for scheme in ["http", "https"] {
      let response = await session.request("\(scheme)://[fe80::1%25eth0]/").serializingString().response
      #expect(response.error?.kind == .invalidRequest)
    }
    #expect(mock.requests.isEmpty)
    #expect(try await session.request("http://[fe80::1]/").serializingString().value == "here")
  }

  @Test func `a transport for an address carries its requests with any zone`() async throws {
    let (standard, own) = (MockTransport(), MockTransport())
    standard.stub(.get, "/{any...}", .text("standard"))
    own.stub(.get, "/{any...}", .text("own"))
    let session = try Session.Builder().transport(standard).transport(standard, for: "[FE80::1]")
      .transport(own, for: "fe80::1").build()
    for host in ["[fe80::1%25eth0]", "[fe80::1]"] {
      #expect(try await session.request("http://\(host)/").serializingString().value == "own")
    }
  }
}

/// A server on a link-local address, which answers each connection with one response.
private final class LinkLocalServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let received = Mutex<[String]>([])

  /// The heads of the requests.
  var heads: [String] { received.withLock { $0 } }

  init(_ own: ZoneTests.LinkLocal) throws {
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_scope_id = try #require(UInt32(own.number))
    try #require(inet_pton(AF_INET6, own.address, &name.sin6_addr) == 1)
    let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let isListening = withUnsafeMutableBytes(of: &name) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { name in
        bind(listener, name.baseAddress, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, name.baseAddress, &length) == 0
      }
    }
    try #require(isListening)
    descriptor = listener
    port = UInt16(bigEndian: name.sin6_port)
    Thread.detachNewThread { [self] in serve() }
  }

  /// Ends the thread, which closes the socket.
  func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func serve() {
    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere".utf8)
    while true {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { break }
      var head: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4_096)
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        let count = read(connection, &piece, piece.count)
        guard count > 0 else { break }
        head += piece.prefix(count)
      }
      received.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
      _ = write(connection, answer, answer.count)
      close(connection)
    }
    close(descriptor)
  }
}
