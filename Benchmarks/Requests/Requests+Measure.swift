import FoundationEssentials
public import LupineCore
public import LupineSession
public import Row

extension Requests {
  /// The settings of the network for a workload: its authorities, and room for its idle connections.
  public static func network(for work: Work) -> NetworkSettings {
    var network = NetworkSettings()
    network.certificateAuthorities = work.authorities
    network.connections += work.idle
    if work.idle > 0 { network.connectionsPerHost = work.idle }
    return network
  }

  /// Measures Lupine as a program uses it: with a session and with validation.
  ///
  /// With `LUPINE_EXECUTOR` set to `loop`, the program's tasks run on `executor`, the transport's own thread.
  public static func measure(
    _ work: Work, over transport: any Transport, _ executor: any TaskExecutor,
    _ assemble: (Session.Builder) -> Session.Builder
  ) async throws {
    guard work.url != "nothing" else { return try await decodeOnly(work) }
    var builder = assemble(Session.Builder()).transport(transport)
    // The other rows negotiate HTTP/2. The libcurl transport does so only if the session sets it.
    if work.url.hasPrefix("https://") { builder = builder.httpVersion(.http2) }
    let session = try builder.build()
    let requests = Requests(session: session, transport: transport, work: work)
    try await requests.leaveIdle()
    if Work.variable("LUPINE_EXECUTOR") == "loop" {
      try await withTaskExecutorPreference(executor) {
        try await work.measure { try await requests.make() }
      }
    } else {
      try await work.measure { try await requests.make() }
    }
    // A cache stores the last response completely.
    await session.finishBackgroundTasks()
  }

  /// Measures only the decoder, on the bytes of a file.
  private static func decodeOnly(_ work: Work) async throws {
    let data = try Data(contentsOf: URL(filePath: work.path))
    let decoder = JSONDecoder()
    try await work.measure { _ = try decoder.decode(Article.self, from: data) }
  }
}
