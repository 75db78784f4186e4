import LupineCore
import LupineSession
import LupineSupport

#if Native
  import LupineNative
#endif
#if Standard
  import LupineCurl
#endif

/// The transport of the default session, which the environment variable `LUPINE_TRANSPORT` may name.
enum DefaultTransport {
  private static let variable = "LUPINE_TRANSPORT"

  /// Sets the transport that the environment names; returns the builder unchanged if it names none.
  ///
  /// - Throws: `LupineError` of kind `configuration` for a name that is not that of a transport of this build.
  static func set(in builder: Session.Builder) throws(LupineError) -> Session.Builder {
    guard let name = SystemEnvironment.variable(variable), !name.isEmpty else { return builder }
    return try set(name, in: builder)
  }

  static func set(_ name: String, in builder: Session.Builder) throws(LupineError) -> Session.Builder {
    switch name {
    #if Native
      case "native": return builder.transport(.native)
    #endif
    #if Standard
      case "curl": return builder.transport(.curl)
    #endif
    default: throw refusal(of: name)
    }
  }

  private static func refusal(of name: String) -> LupineError {
    let trait = ["native": "Native", "curl": "Standard"][name]
    let reason =
      trait.map { "the transport \"\(name)\" needs the trait \($0) of Lupine, which is off" }
      ?? "no transport is called \"\(name)\"; there are \"curl\" and, with the trait Native, \"native\""
    return LupineError(
      .configuration([ConfigurationIssue(part: variable, reason: reason)]),
      "The default session cannot be built: \(variable): \(reason).")
  }
}
