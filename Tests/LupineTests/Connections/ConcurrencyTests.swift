import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct ConcurrencyTests {
  @Test func `100 requests at once each get their own answer`() async throws {
    let session = try Peer.httpbin.session()
    let answers = try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          try await session.request("anything", parameters: ["number": .init(number)]).validate().serializingJSON()
            .value["args"]?["number"]?.string
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(answers == Set((0..<100).map { "\($0)" }))
  }

  @Test(arguments: [Peer.nginx, .nginxTLS])
  func `100 bodies of 1 MiB arrive at once`(_ peer: Peer) async throws {
    let session = try peer.session()
    let sums = try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        let start = (number % 16) << 20
        group.addTask {
          let headers: RequestHeaders = [.range: "bytes=\(start)-\(start + (1 << 20) - 1)"]
          let data = try await session.request("big.bin", headers: headers).validate().serializingData().value
          return data.count == 1 << 20 && data.prefix(8).reduce(0) { $0 << 8 | Int($1) } == start
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.count == 100 && sums.allSatisfy { $0 })
  }
}
