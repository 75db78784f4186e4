import LupineNative
public import LupineSession
public import Requests
public import Row

extension Requests {
  /// Measures Lupine over the native transport.
  public static func measureNative(
    _ work: Work, _ assemble: (Session.Builder) -> Session.Builder
  ) async throws {
    var configuration = NativeTransport.Configuration()
    configuration.network = network(for: work)
    configuration.loops = Work.variable("LUPINE_LOOPS").flatMap { Int($0) } ?? configuration.loops
    let transport = NativeTransport(configuration)
    try await measure(work, over: transport, transport.executor, assemble)
  }
}
