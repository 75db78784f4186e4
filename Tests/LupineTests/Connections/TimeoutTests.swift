import Lupine
import LupineTesting
import Testing
import TransportSupport

// The servers send nothing for minutes, so that a timeout that is late on a busy machine still precedes the response.
@Suite(.besidePeers, .overEachTransport) struct TimeoutTests {
  @Test func `a late answer passes the idle timeout`() async throws {
    let session = try Peer.httpbin.session { $0.timeouts(idle: .milliseconds(100)) }
    let url = "drip?numbytes=1&duration=0&delay=300"
    #expect(await session.request(url).serializingData().response.error?.kind == .timedOut(.idle))
  }

  @Test func `a body that stops passes the idle timeout`() async throws {
    let session = try Peer.httpbin.session { $0.timeouts(idle: .milliseconds(500)) }
    let url = "drip?numbytes=2&duration=600&delay=0"
    #expect(await session.request(url).serializingData().response.error?.kind == .timedOut(.idle))
  }

  @Test func `a body that drips for too long passes the total timeout`() async throws {
    let session = try Peer.httpbin.session { $0.timeouts(idle: nil, total: .milliseconds(300)) }
    let url = "drip?numbytes=6000&duration=600&delay=0"
    #expect(await session.request(url).serializingData().response.error?.kind == .timedOut(.total))
  }

  @Test func `a request's own timeout comes before the session's`() async throws {
    var request = try OutgoingRequest(try Peer.httpbin.url + "/drip?numbytes=1&duration=0&delay=300")
    request.options.timeouts = Timeouts(idle: nil, total: .milliseconds(100))
    let session = try Peer.httpbin.session()
    #expect(await session.request(request).serializingData().response.error?.kind == .timedOut(.total))
  }

  @Test func `a slow answer within the timeouts is an answer`() async throws {
    let session = try Peer.httpbin.session { $0.timeouts(idle: .seconds(60), total: .seconds(60)) }
    #expect(try await session.request("delay/0.2").validate().serializingJSON().value["args"] == [:])
  }

  @Test func `a port without a listener refuses connections`() async throws {
    let port = try ClosedPort()
    let session = try Session.Builder().transport(.curl).build()
    let error = await session.request(port.url).serializingData().response.error
    #expect(error?.kind == .connectionRefused)
  }
}
