import LupineCore

/// What few exchanges come to need, in an object that is made for those.
final class RareState {
  /// A challenge that libcurl may be about to answer: another head follows then, and otherwise this one is the response's.
  var held: ReceivedHead?
  /// The content behind that challenge, while libcurl may be about to keep it to itself.
  var heldContent: HeldContent?
  /// What judges the server of the connection that is made for the exchange.
  var handshake: Handshake?
  /// What knows how TLS ends, where only the end of the connection ends the body.
  var connectionEnd: Handshake?
  /// The proxy's answer to CONNECT, while a tunnel is opened.
  var tunnel: TunnelReader?
  /// The legs of a proof of the connection.
  var legs = ConnectionAuthentication()
  /// The name that libcurl is to connect to.
  var lookup = NameState.none
  /// Ends the wait for that name.
  var lookupTimer: ScheduledTimer?
  /// The system's code where no descriptor was left for a connection.
  var lacksDescriptor: Int32?
  /// Whether an idle connection was closed to make room for this one.
  var hasMadeRoom = false
  /// How many of the host's addresses the proxy could not reach.
  var unreachedTargets = 0
  /// The address that the network policy refused last.
  var refusedAddress: IPAddress?
}
