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
    // No event follows a call that wrongly fails with EAGAIN, so a timeout ends the request.
    let needsTimeout = fault.errors.contains(EAGAIN) || fault.isHurried
    var steps = ["roots \(Fixture.path("Certificates/root.pem"))"]
    if needsTimeout { steps.append("hurry 400") }
    steps += ["get", "empty", "descriptors"]
    steps += fault.errors.map { "sweep \(fault.call) \($0)" }
    let lines = try Program.run("SystemFaultProbe", [server.url] + steps)
    try #require(lines.count > 3 && lines.starts(with: ["new", "empty"]), "\(lines)")
    let expected = "then new, then \(lines[2])"
    let results = lines.dropFirst(3)
    for line in results where !line.hasSuffix(" failures") {
      #expect(line.hasSuffix(", \(expected)"), "\(results)")
      #expect(needsTimeout || !line.hasPrefix("timedOut"), "\(results)")
    }
    let counts = results.filter { $0.hasSuffix(" failures") }
    #expect(counts.count == fault.errors.count && (fault.needsSleep || !counts.contains("0 failures")), "\(results)")
  }
}
