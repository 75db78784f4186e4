import Glibc
import HTTPTypes
import LupineCore
import LupineSession
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct ProbeIntervalTests {
  @Test(arguments: [nil, 7])
  func `a silent connection is probed at the configured interval, or once a minute`(seconds: Int?) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let transport = TestTransport.make()
    var options = ConnectionOptions()
    options.probeInterval = seconds.map { .seconds($0) }
    let session = try Session.Builder().transport(transport).connections(options).build()
    #expect(await session.request(server.url).serializingData().response.error == nil)
    let interval = Int32(seconds ?? 60)
    #expect(Self.settings(to: server.port) == [[1, interval, interval]])
    await transport.shutdown()
  }

  /// The values of SO_KEEPALIVE, TCP_KEEPIDLE and TCP_KEEPINTVL for each connection of this process to a port.
  private static func settings(to port: Int) -> [[Int32]] {
    (3..<1024).filter { peer(of: $0) == port }.map { descriptor in
      [
        option(SOL_SOCKET, SO_KEEPALIVE, descriptor), option(Int32(IPPROTO_TCP), TCP_KEEPIDLE, descriptor),
        option(Int32(IPPROTO_TCP), TCP_KEEPINTVL, descriptor),
      ]
    }
  }

  private static func option(_ level: Int32, _ name: Int32, _ descriptor: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, level, name, &value, &length)
    return value
  }

  private static func peer(of descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
