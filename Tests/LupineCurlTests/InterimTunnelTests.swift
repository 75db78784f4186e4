import LupineCore
import LupineTesting
import Testing
import TransportSupport

/// Interim responses to CONNECT, after which libcurl 7.88 opens no tunnel.
@Suite(.timeLimit(.minutes(1))) struct InterimTunnelTests {
  @Test(arguments: ["102 Processing", "103 Early Hints", "100 Continue"])
  func `an interim response to CONNECT is an error that names it`(status: String) async throws {
    let proxy = try ScriptedServer { _ in .verbatim("HTTP/1.1 \(status)\r\n\r\nHTTP/1.1 200 OK\r\n\r\n") }
    defer { proxy.stop() }
    var client = Client.trusting()
    client.connectionKey.proxy = try Proxy(proxy.url)
    let error = await client.failure("https://origin.example/")
    #expect(error?.kind == .proxyFailed)
    #expect(error?.message.contains("interim response (\(status.prefix(3)))") == true, "\(String(describing: error))")
    await client.transport.shutdown()
  }
}
