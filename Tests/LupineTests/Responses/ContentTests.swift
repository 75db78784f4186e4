import FoundationEssentials
import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct ContentTests {
  @Test func `a body in chunks arrives whole`() async throws {
    let text = try await Peer.httpbin.session().request("stream/5").validate().serializingString().value
    let numbers = try text.split(separator: "\n").map {
      try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))["id"]?.int
    }
    #expect(numbers == [0, 1, 2, 3, 4])
  }

  @Test(arguments: ["bytes", "stream-bytes"], [1, 1000, 100_000])
  func `as many bytes arrive as were asked for`(_ path: String, _ count: Int) async throws {
    let response = await (try Peer.httpbin.session()).request("\(path)/\(count)").validate().serializingData().response
    #expect(response.value?.count == count)
    #expect(response.metrics.bytesReceived == Int64(count))
  }

  @Test func `a body that drips arrives whole`() async throws {
    let request = try Peer.httpbin.session().request("drip?numbytes=20&duration=0.2&delay=0").validate()
    #expect(try await request.serializingString().value == String(repeating: "*", count: 20))
  }

  @Test func `16 MiB are collected as they were sent`() async throws {
    let data = try await Peer.nginx.session().request("big.bin").validate().serializingData().value
    #expect(data.count == 16 << 20)
    // Each 8 bytes contain their own offset, most significant byte first.
    let offsets = stride(from: 0, to: data.count, by: 8).lazy.map { start in
      data[start..<start + 8].reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(offsets.elementsEqual(stride(from: 0, to: data.count, by: 8)))
  }

  @Test(arguments: [("bytes=8-23", 8, 16), ("bytes=16777208-", 16_777_208, 8), ("bytes=-8", 16_777_208, 8)])
  func `the response to a range request has the range`(_ range: String, _ start: Int, _ count: Int) async throws {
    let response = await (try Peer.nginx.session()).request("big.bin", headers: [.range: range])
      .validate(statusCode: [206]).serializingData().response
    let data = try response.result.get()
    #expect(data.count == count)
    #expect(data.prefix(8).reduce(0) { $0 << 8 | Int($1) } == start)
    #expect(response.response?.headerFields[.contentRange]?.hasSuffix("/16777216") == true)
  }

  @Test func `a range beyond the end is a 416`() async throws {
    let request = try Peer.nginx.session().request("big.bin", headers: [.range: "bytes=16777216-"]).validate()
    #expect(await request.serializingData().response.error?.kind == .unacceptableStatusCode(416))
  }

  @Test func `a body over the limit is an error that names it`() async throws {
    var limits = Limits()
    limits.responseBody = 1 << 20
    let session = try Peer.nginx.session { [limits] in $0.limits(limits) }
    let error = await session.request("big.bin").serializingData().response.error
    #expect(error?.kind == .limitExceeded(.responseBody))
    #expect(error?.response?.status == .ok)
    #expect(try await session.request("hello").serializingString().value == "Hello from nginx\n")
  }
}
