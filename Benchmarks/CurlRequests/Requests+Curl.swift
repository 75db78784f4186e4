import LupineCurl
public import LupineSession
public import Requests
public import Row

extension Requests {
  /// Measures Lupine over libcurl.
  public static func measureCurl(
    _ work: Work, _ assemble: (Session.Builder) -> Session.Builder
  ) async throws {
    var configuration = CurlTransport.Configuration()
    configuration.network = network(for: work)
    let transport = CurlTransport(configuration)
    try await measure(work, over: transport, transport.executor, assemble)
  }
}
