public import LupineCore
public import LupineSession

extension Session.Builder {
  /// Makes a builder with the settings of a profile.
  ///
  /// `build()` throws one error with everything that cannot be used: a transport that the runner does not have, pins
  /// without an evaluator, and all that it refuses in other builders.
  ///
  /// - Parameters:
  ///   - transports: the transports that a profile may name, such as `["native": .native, "curl": .curl]`.
  ///   - defaultTransport: the name of the transport of a profile that names none.
  ///   - pinning: makes the evaluator of a host from its pins, such as `{ .publicKeys(PublicKeys($0)) }`. Default: `nil`,
  ///     which makes pins an issue.
  public init(
    _ profile: TransferQueue.Profile, transports: [String: any Transport], defaultTransport: String,
    pinning: (@Sendable ([String]) -> any TrustEvaluator)? = nil
  ) {
    var builder = Session.Builder()
    for reason in profile.issues { builder = builder.issue(ConfigurationIssue(part: "profile", reason: reason)) }
    let name = profile.transport ?? defaultTransport
    if let transport = transports[name] {
      builder = builder.transport(transport)
    } else {
      let names = transports.keys.sorted().joined(separator: ", ")
      builder = builder.issue(
        ConfigurationIssue(part: "profile", reason: "transport: there is no \(name.debugDescription), but: \(names)"))
    }
    if let url = profile.baseURL { builder = builder.baseURL(url) }
    for (name, value) in profile.headers.sorted(by: { $0.key < $1.key }) { builder = builder.header(name, value) }
    if let roots = profile.roots { builder = builder.certificateAuthorities(roots) }
    if let roots = profile.additionalRoots { builder = builder.additionalCertificateAuthorities(roots) }
    if !profile.pins.isEmpty {
      if let pinning {
        builder = builder.trust(profile.pins.mapValues(pinning))
      } else {
        builder = builder.issue(
          ConfigurationIssue(part: "profile", reason: "pins: the runner has no evaluator of pins"))
      }
    }
    let defaults = Timeouts()
    builder = builder.timeouts(
      connect: Self.duration(profile.connectTimeout) ?? defaults.connect,
      idle: Self.duration(profile.idleTimeout) ?? defaults.idle,
      total: Self.duration(profile.totalTimeout), attempt: Self.duration(profile.attemptTimeout))
    if let retries = profile.retries, retries > 0 { builder = builder.retrier(RetryPolicy(limit: retries)) }
    if let rules = profile.networkPolicy { builder = builder.networkPolicy(rules.policy) }
    if !profile.followsRedirects { builder = builder.redirector(.doNotFollow) }
    self = builder
  }

  /// The duration of a number of seconds; `nil` for one that is an issue of its profile, such as infinity.
  private static func duration(_ seconds: Double?) -> Duration? {
    guard let seconds, TransferQueue.Profile.isTimeout(seconds) else { return nil }
    return .seconds(seconds)
  }
}
