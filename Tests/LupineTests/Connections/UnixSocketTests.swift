import Lupine
import LupineFixtures
import Testing
import TransportSupport

/// JSON over HTTP/1.1 on a Unix-domain socket, as the Docker Engine's API requires.
@Suite(.besidePeers, .overEachTransport) struct UnixSocketTests {
  private func session() throws -> Session {
    let path = try #require(
      Peers.httpbinSocket, "httpbin is not running: run the tests beside Tests/Support/Peers/with-peers")
    return try Session.Builder().transport(.curl).standardDefaults().baseURL("http://docker/").unixSocket(path).build()
  }

  @Test func `requests and answers go over a socket, whose connection is kept`() async throws {
    let session = try session()
    let first = await session.request("get", parameters: ["all": true]).serializingDecodable(Echo.self).response
    #expect(try first.result.get().args == ["all": "1"])
    #expect(try first.result.get().headers["Host"] == "docker")
    #expect(first.metrics.remoteAddress?.hasPrefix("unix:/") == true)
    let second = await session.request("anything/containers/json").serializingDecodable(Echo.self).response
    #expect(try second.result.get().url == "http://docker/anything/containers/json")
    #expect(second.metrics.isConnectionReused == true)
    #expect(await session.connectionPool() == ConnectionPoolSnapshot(open: 1, idle: 1))
  }

  @Test func `a body is sent, and a stream of lines read`() async throws {
    let session = try session()
    let made = await session.request("post", method: .post, parameters: ["Image": "alpine"], encoder: .json)
      .serializingDecodable(Echo.self).response
    #expect(try made.result.get().data == #"{"Image":"alpine"}"#)
    var count = 0
    for try await line in session.streamRequest("stream/5").serializingLines() where !line.isEmpty { count += 1 }
    #expect(count == 5)
  }

  @Test func `a missing socket is an error of kind connectionFailed`() async throws {
    let session = try Session.Builder().transport(.curl).standardDefaults().unixSocket("/nowhere/docker.sock").build()
    let error = await session.request("http://docker/info").serializingData().response.error
    #expect(error?.kind == .connectionFailed)
  }

  private struct Echo: Decodable, Sendable {
    let args: [String: String]?
    let data: String?
    let headers: [String: String]
    let url: String
  }
}
