import Glibc
import LupineFixtures
import LupineTesting
import PeerSupport
import Testing
import TrustSupport

/// Each system call of a request over TLS fails in turn, with each error of its manual page, in a process of its own.
///
/// The request with the failed call ends with a response or an error, the next request succeeds, and no descriptor is
/// left.
@Suite(.timeLimit(.minutes(5))) struct SecuredSystemFaultTests {
  /// The version of HTTP of a server with TLS.
  enum Line: String, CaseIterable, Sendable {
    case http1 = "HTTP/1.1"
    case http2 = "HTTP/2"
  }

  private static let setup = ["roots \(Fixture.path("Certificates/root.pem"))"]

  /// The calls that each request makes, except those that only find the server's address.
  static let faults = SystemFaultTests.faults.filter { !$0.isAtStart && !$0.needsLookup }

  /// A server that answers each request, in this process.
  private final class Server {
    let url: String
    private let stop: () -> Void
    /// Answers in clear text behind the relay.
    private let answerer: ScriptedServer?

    init(_ line: Line) throws {
      switch line {
      case .http1:
        let answerer = try ScriptedServer(always: .respond(body: .text("ok")))
        let relay = try TLSRelay(to: UInt16(answerer.port))
        self.answerer = answerer
        url = "https://127.0.0.1:\(relay.port)/"
        stop = relay.stop
      case .http2:
        let peer = try HTTP2Peer(isSecured: true) { stream, _ in
          [.send(.head(stream)), .send(.data(stream, "ok", ends: true))]
        }
        answerer = nil
        url = peer.url
        stop = peer.stop
      }
    }

    deinit { stop() }
  }

  @Test(arguments: faults, Line.allCases)
  func `after a failed call of a request over TLS the next request succeeds`(
    fault: SystemFaultTests.Fault, line: Line
  ) throws {
    let server = try Server(line)
    try FaultSweep(url: server.url, setup: Self.setup).check(fault)
  }

  /// The calls that read the file of root certificates: `X509_STORE_load_file` of OpenSSL calls fopen and fgets.
  static let fileFaults = [
    SystemFaultTests.Fault(
      call: "stat",
      errors: [EACCES, EBADF, EFAULT, EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EOVERFLOW]),
    SystemFaultTests.Fault(
      call: "access",
      errors: [
        EACCES, EBADF, EFAULT, EINVAL, EIO, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EPERM, EROFS, ETXTBSY,
      ]),
    SystemFaultTests.Fault(
      call: "fopen",
      errors: [
        EACCES, EINTR, EINVAL, EISDIR, ELOOP, EMFILE, ENAMETOOLONG, ENFILE, ENODEV, ENOENT, ENOMEM, ENOTDIR, ENXIO,
        EOVERFLOW, EPERM,
      ]),
    SystemFaultTests.Fault(call: "fgets", errors: [EBADF, EFAULT, EINTR, EINVAL, EIO, EISDIR, ENOMEM]),
  ]

  @Test(arguments: fileFaults, Line.allCases)
  func `after a failed call that reads the root certificates the next request succeeds`(
    fault: SystemFaultTests.Fault, line: Line
  ) throws {
    let server = try Server(line)
    try FaultSweep(url: server.url, setup: Self.setup, renewsTransport: true).check(fault)
  }

  /// With roots in memory, only stat is called.
  @Test func `after a failed stat of a file that has been read the next request succeeds`() throws {
    let server = try Server(.http1)
    try FaultSweep(url: server.url, setup: Self.setup).check(Self.fileFaults[0])
  }
}
