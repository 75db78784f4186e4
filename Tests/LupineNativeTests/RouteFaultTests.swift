import Glibc
import LupineFixtures
import LupineTesting
import PeerSupport
import Testing
import TrustSupport

/// Each system call fails in turn on kept connections, Unix-domain sockets, through proxies, and during uploads.
///
/// The request with the failed call ends with a response or an error, the next request succeeds, and no descriptor is
/// left.
@Suite(.timeLimit(.minutes(3))) struct RouteFaultTests {
  typealias Fault = SystemFaultTests.Fault

  private static let roots = "roots \(Fixture.path("Certificates/root.pem"))"

  /// The faults of the calls with these names, as in a request without TLS.
  private static func faults(_ calls: String...) -> [Fault] {
    SystemFaultTests.faults.filter { calls.contains($0.call) && !$0.isAtStart && !$0.needsLookup }
  }

  /// Leaves out EAGAIN for send and recv: the request would wait for its timeout, which other tests cover.
  private static func withoutWaits(_ faults: [Fault]) -> [Fault] {
    faults.map { fault in
      var fault = fault
      if ["send", "recv"].contains(fault.call) { fault.errors.removeAll { $0 == EAGAIN } }
      return fault
    }
    .filter { !$0.errors.isEmpty }
  }

  /// The check whether a kept connection without TLS is quiet; over TLS, recv is called.
  private static let peek = Fault(
    call: "peek",
    errors: [EBADF, ECONNREFUSED, ECONNRESET, EFAULT, EINTR, EINVAL, ENOMEM, ENOTCONN, ENOTSOCK, ETIMEDOUT])

  private static let keptFaults = faults("send", "recv", "epoll_wait", "write")

  @Test(arguments: [peek] + keptFaults)
  func `a failed call on a kept connection costs at most its request`(fault: Fault) throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    try FaultSweep(url: server.url, setup: ["keep"]).check(fault)
  }

  @Test(arguments: withoutWaits(keptFaults))
  func `a failed call on a kept connection with TLS costs at most its request`(fault: Fault) throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let relay = try TLSRelay(to: UInt16(server.port))
    defer { relay.stop() }
    let setup = ["keep", Self.roots]
    try FaultSweep(url: "https://127.0.0.1:\(relay.port)/", setup: setup).check(fault)
  }

  @Test(arguments: withoutWaits(keptFaults))
  func `a failed call on a kept connection of HTTP/2 costs at most its request`(fault: Fault) throws {
    let peer = try HTTP2Peer(isSecured: true) { stream, _ in
      [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
    }
    defer { peer.stop() }
    let setup = ["keep", Self.roots]
    try FaultSweep(url: peer.url, setup: setup).check(fault)
  }

  private static let unixFaults =
    faults(
      "socket", "connect", "getsockopt", "getpeername", "send", "recv", "close", "epoll_ctl", "epoll_wait", "write")
    + [Fault(call: "connect", errors: [ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR])]

  @Test(arguments: unixFaults)
  func `after a failed call of a Unix-domain socket the next request succeeds`(fault: Fault) throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer(.unix(path: folder.file("socket"))) { _ in .respond(body: .text("ok")) }
    defer { server.stop() }
    try FaultSweep(url: server.url, setup: ["unix \(folder.file("socket"))"]).check(fault)
  }

  private static let networkFaults = faults(
    "socket", "bind", "connect", "setsockopt", "getsockopt", "getpeername", "send", "recv", "close", "epoll_ctl",
    "epoll_wait", "write")

  @Test(arguments: networkFaults)
  func `after a failed call of a connection through SOCKS the next request succeeds`(fault: Fault) throws {
    let peer = try SocksPeer()
    defer { peer.stop() }
    try FaultSweep(url: "http://a.example.com/", setup: ["proxy socks5h://\(peer.address)"]).check(fault)
  }

  @Test(arguments: withoutWaits(networkFaults))
  func `after a failed call of a tunnel the next request succeeds`(fault: Fault) throws {
    let peer = try TunnelPeer()
    defer { peer.stop() }
    let setup = ["proxy \(peer.url)", Self.roots]
    try FaultSweep(url: "https://localhost/", setup: setup).check(fault)
  }

  private static let fileFaults = [
    Fault(
      call: "open",
      errors: [
        EACCES, EAGAIN, EBADF, EBUSY, EDQUOT, EEXIST, EFAULT, EFBIG, EINTR, EINVAL, EISDIR, ELOOP, EMFILE, ENAMETOOLONG,
        ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC, ENOTDIR, ENXIO, EOPNOTSUPP, EOVERFLOW, EPERM, EROFS, ETXTBSY,
      ]),
    Fault(call: "fstat", errors: [EBADF, EFAULT, ENOMEM, EOVERFLOW]),
    Fault(call: "pread", errors: [EAGAIN, EBADF, EFAULT, EINTR, EINVAL, EIO, EISDIR, ENXIO, EOVERFLOW, ESPIPE]),
  ]

  @Test(arguments: fileFaults + faults("send", "recv", "close", "epoll_ctl", "epoll_wait", "write"))
  func `after a failed call of an upload the next request succeeds`(fault: Fault) throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    let folder = try TemporaryFolder()
    // Two blocks of the reader.
    let file = try folder.write(String(repeating: "a", count: 600 << 10), to: "file")
    // A new transport also opens the files with the names of its threads.
    try FaultSweep(url: server.url, setup: ["upload \(file)"], renewsTransport: fault.call == "open").check(fault)
  }
}
