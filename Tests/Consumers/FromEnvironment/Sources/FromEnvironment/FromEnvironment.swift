import Configuration
import Foundation
import Lupine
import LupineConfiguration
import LupineMock

/// A program whose deployment is chosen by environment variables alone, such as `CLIENT_TRANSPORT=mock`.
@main struct FromEnvironment {
  /// The mock of a deployment without a network.
  static func mock() -> MockTransport {
    let mock = MockTransport()
    mock.stub(.get, "/status", .text("up without a network"))
    return mock
  }

  /// A builder with the settings of the variables that begin with `CLIENT_`.
  static func builder(log: ExchangeLogMonitor) async -> Session.Builder {
    let variables = ProcessInfo.processInfo.environment
    let configuration = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "client")
    return await Session.Builder(
      configuration: configuration,
      transports: ["native": .native, "curl": .curl, "mock": mock()],
      caches: ["memory": .cache(HTTPCache(memory: .megabytes(16)))],
      logs: ["exchanges": log],
      pinning: { .publicKeys(PublicKeys($0)) },
      listing: [.environment(variables.keys, scope: "client")]
    ).standardDefaults()
  }

  static func main() async {
    let log = ExchangeLogMonitor()
    do {
      let builder = await builder(log: log)
      print(builder)
      let session = try builder.build()
      print("answer:", try await session.request("status").validate().serializingString().value)
    } catch {
      guard case .configuration(let issues) = error.kind else { return print("failed:", error) }
      for issue in issues { print("issue:", issue) }
    }
    print("exchanges in the log:", log.logs.count)
  }
}
