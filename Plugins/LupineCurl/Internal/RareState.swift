import LupineCore

/// The state that few exchanges need, allocated on demand.
final class RareState {
  /// A challenge that libcurl may answer.
  ///
  /// If libcurl answers, another head follows; otherwise this head is the response's.
  var held: ReceivedHead?
  /// The content of that challenge, while libcurl may keep the content to itself.
  var heldContent: HeldContent?
  /// The handshake that verifies the server of the exchange's new connection.
  var handshake: Handshake?
  /// The handshake that records how TLS ends, if only the end of the connection ends the body.
  var connectionEnd: Handshake?
  /// The reader of the proxy's response to CONNECT; nil without a tunnel.
  var tunnel: TunnelReader?
  /// The number of rounds of NTLM or Negotiate.
  var legs = ConnectionAuthentication()
  /// The state of the lookup of the host's name.
  var lookup = NameState.none
  /// Ends the wait for the name.
  var lookupTimer: ScheduledTimer?
  /// The system's error code if no descriptor was available for a connection.
  var lacksDescriptor: Int32?
  /// Whether the exchange has already restarted to use the descriptor of an idle connection.
  var hasMadeRoom = false
  /// The number of the host's addresses that the proxy could not reach.
  var unreachedTargets = 0
  /// The address that the network policy refused last.
  var refusedAddress: IPAddress?
}
