import FoundationEssentials
public import LupineCore
import LupineCurl
public import LupineSession
public import Row

extension Requests {
  /// Measures Lupine as a program uses it: with a session and with validation.
  ///
  /// With `LUPINE_EXECUTOR` set to `loop`, the program's tasks run on the transport's own thread.
  public static func measure(_ work: Work, _ assemble: (Session.Builder) -> Session.Builder) async throws {
    guard work.url != "nothing" else { return try await decodeOnly(work) }
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorities = work.authorities
    configuration.connections += work.idle
    if work.idle > 0 { configuration.connectionsPerHost = work.idle }
    let transport = CurlTransport(configuration)
    var builder = assemble(Session.Builder()).transport(transport)
    // The other rows negotiate HTTP/2. The libcurl transport uses it only if the session sets it.
    if work.url.hasPrefix("https://") { builder = builder.httpVersion(.http2) }
    let session = try builder.build()
    let requests = Requests(session: session, transport: transport, work: work)
    try await requests.leaveIdle()
    guard Work.variable("LUPINE_EXECUTOR") == "loop" else {
      return try await work.measure { try await requests.make() }
    }
    try await withTaskExecutorPreference(transport.executor) {
      try await work.measure { try await requests.make() }
    }
  }

  /// Measures only the decoder, on the bytes of a file.
  private static func decodeOnly(_ work: Work) async throws {
    let data = try Data(contentsOf: URL(filePath: work.path))
    let decoder = JSONDecoder()
    try await work.measure { _ = try decoder.decode(Article.self, from: data) }
  }
}
