import Glibc
import LupineTesting
import Testing

@Suite struct PortTests {
  @Test func `a closed port refuses`() throws {
    let port = try ClosedPort()
    #expect(throws: RawClient.Failure.refused) { try RawClient(port: port.port) }
    #expect(port.url == "http://127.0.0.1:\(port.port)")
  }

  @Test func `a silent port connects and takes bytes`() throws {
    let port = try SilentPort()
    let client = try RawClient(port: port.port)
    try client.send(get())
  }

  @Test func `a silent port can leave the handshake open`() throws {
    let port = try SilentPort(completesHandshake: false)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = in_port_t(UInt16(port.port)).bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    _ = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(errno == EINPROGRESS)
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    #expect(poll(&watched, 1, 0) == 0)
  }
}
