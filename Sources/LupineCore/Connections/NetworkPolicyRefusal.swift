/// Says that a network policy kept a session from an address.
package enum NetworkPolicyRefusal {
  package static func error(_ address: IPAddress?, _ url: HTTPURL) -> LupineError {
    let place = address.map { "\($0)" } ?? "an unknown address"
    return LupineError(
      .addressRefused,
      "The host \(url.host) has the address \(place), which the session's network policy refuses; nothing was sent.")
  }
}
