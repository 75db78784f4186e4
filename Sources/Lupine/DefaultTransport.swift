import LupineCore
import LupineSession
import LupineSupport

#if Standard || Native
  import LupineNative
#endif
#if Standard
  import LupineCurl
#endif

/// Selects the transport of `standardDefaults()`: the native one, or the one that `LUPINE_TRANSPORT` names.
enum DefaultTransport {
  private static let variable = "LUPINE_TRANSPORT"

  /// Sets the transport that the environment names, or the default one; returns the builder unchanged if the traits
  /// enable no transport.
  static func set(in builder: Session.Builder) -> Session.Builder {
    set(SystemEnvironment.variable(variable) ?? "", in: builder)
  }

  /// Sets the transport with this name; an empty name stands for the default transport.
  ///
  /// For any other name `build()` throws.
  static func set(_ name: String, in builder: Session.Builder) -> Session.Builder {
    switch name {
    #if Standard || Native
      case "", "native": return builder.transport(.native)
    #else
      case "": return builder
    #endif
    #if Standard
      case "curl": return builder.transport(.curl)
    #endif
    default: return builder.transport(UnknownTransport(issue: issue(with: name)))
    }
  }

  private static func issue(with name: String) -> ConfigurationIssue {
    let traits = ["native": "Standard or the trait Native", "curl": "Standard"][name]
    let reason =
      traits.map { "the transport \"\(name)\" needs the trait \($0) of Lupine, which is off" }
      ?? "no transport is called \"\(name)\"; the names are \"native\" and \"curl\""
    return ConfigurationIssue(part: variable, reason: reason)
  }
}

/// Stands for a transport that does not exist, so that `build()` throws with the reason.
private struct UnknownTransport: Transport {
  let issue: ConfigurationIssue

  /// All capabilities, so that `build()` reports no other issue of this transport.
  var capabilities: TransportCapabilities { TransportCapabilities(rawValue: .max) }

  func issues(with key: ConnectionKey) -> [ConfigurationIssue] { [issue] }

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    throw .unusable(issue.part, issue.reason)
  }

  func shutdown() async {}
}
