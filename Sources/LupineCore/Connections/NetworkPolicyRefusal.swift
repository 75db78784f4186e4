/// Says that a network policy kept a session from an address.
public enum NetworkPolicyRefusal {
  /// Why the policy refuses an address, or every address of a host.
  public static func error(_ address: IPAddress?, _ url: HTTPURL) -> LupineError {
    let place = address.map { "\($0)" } ?? "an unknown address"
    return LupineError(
      .addressRefused,
      "The host \(url.host) has the address \(place), which the session's network policy refuses; nothing was sent.")
  }
}
