import Lupine
import LupineCurl
import LupineTesting
import Testing
import TransportSupport

/// Settings of a transport and of its connections at their limits: a response or an error, and never the end of the
/// process.
@Suite(.overEachTransport) struct ExtremeSettingTests {
  private static let counts = [Int.min, -1, 0, 1, Int(Int32.max) + 1, Int.max]

  private static func send(
    _ url: String, _ configuration: CurlTransport.Configuration = CurlTransport.Configuration(),
    _ change: (Session.Builder) -> Session.Builder = { $0 }
  ) async {
    let builder = Session.Builder().transport(TestTransport.make(configuration)).resolve("a.test", to: "127.0.0.1")
    guard let session = try? change(builder.timeouts(total: .seconds(2))).build() else { return }
    for _ in 0..<2 {
      let response = await session.request(url).serializingString().response
      #expect(response.value == "ok" || response.error != nil)
    }
    await session.shutdown()
  }

  @Test(arguments: ExtremeValueTests.durations) func `a transport takes any time`(_ time: Duration) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    let named = server.url.replacing("127.0.0.1", with: "localhost")
    for path in [\CurlTransport.Configuration.network.idleConnectionLifetime, \.network.connectionLifetime] {
      var configuration = CurlTransport.Configuration()
      configuration[keyPath: path] = time
      await Self.send(server.url, configuration)
    }
    for path in [\ConnectionOptions.idleLifetime, \.lifetime, \.probeInterval] {
      var options = ConnectionOptions()
      options[keyPath: path] = time
      await Self.send(named) { $0.connections(options) }
    }
    for path in [\Timeouts.connect, \.idle, \.attempt] {
      await Self.send(named) { builder in
        var timeouts = Timeouts()
        timeouts[keyPath: path] = time
        return builder.timeouts(
          connect: timeouts.connect, idle: timeouts.idle, total: .seconds(2), attempt: timeouts.attempt)
      }
    }
    let session = try Session.Builder().transport(TestTransport.make()).build()
    let request = session.request(named).timeouts {
      ($0.connect, $0.idle, $0.attempt, $0.total) = (time, time, time, time)
    }
    _ = await request.serializingData().response
    await session.shutdown()
  }

  @Test(arguments: counts) func `a transport takes any count`(_ count: Int) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("ok")))
    defer { server.stop() }
    for path in [
      \CurlTransport.Configuration.network.connectionsPerHost, \.network.connections, \.network.nameLookups,
      \.receiveBufferSize,
    ] {
      var configuration = CurlTransport.Configuration()
      configuration[keyPath: path] = count
      await Self.send(server.url.replacing("127.0.0.1", with: "localhost"), configuration)
    }
    for path in [\ConnectionOptions.perHost, \.total] {
      var options = ConnectionOptions()
      options[keyPath: path] = count
      await Self.send(server.url) { $0.connections(options) }
    }
    for path in [
      \Limits.responseFields, \.responseFieldCount, \.informationalResponses, \.trailers, \.chunkExtensions,
      \.requestFields,
    ] {
      var limits = Limits()
      limits[keyPath: path] = count
      await Self.send(server.url) { $0.limits(limits) }
    }
    var limits = Limits()
    (limits.responseBody, limits.discardedBody, limits.errorBody) = (Int64(count), Int64(count), Int64(count))
    await Self.send(server.url) { $0.limits(limits) }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\nhello",
    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9223372036854775806/9223372036854775807\r\n"
      + "Content-Length: 9223372036854775807\r\n\r\nhello",
    "HTTP/1.1 503 Busy\r\nRetry-After: 9223372036854775807\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 999 A\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 99999999999 A\r\nContent-Length: 0\r\n\r\n",
    "HTTP/9223372036854775808.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=9223372036854775807, max=99999999999999999999\r\nContent-Length: 0\r\n\r\n",
  ]) func `a number of any size from a server ends no process`(_ head: String) async throws {
    let server = try ScriptedServer(always: ScriptedReply([.raw(text: head)], connection: .close))
    defer { server.stop() }
    let session = try Session.Builder().transport(TestTransport.make()).timeouts(total: .seconds(5))
      .retrier(RetryPolicy()).build()
    for _ in 0..<2 {
      _ = await session.request(server.url).downloadProgress { _ = $0.description }.serializingData().response
      _ = await session.download(server.url).sizeLimit(.max).serializingData().response
    }
    await session.shutdown()
  }
}
