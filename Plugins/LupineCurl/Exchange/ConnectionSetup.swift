import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The state that few exchanges need: for a new connection (lookup, tunnel, handshake), for the challenges that libcurl
/// answers, and for a body that only the end of a TLS connection ends.
///
/// Allocated on demand.
final class ConnectionSetup {
  /// A challenge that libcurl may answer.
  ///
  /// If libcurl answers, another head follows; otherwise this head is the response's.
  var challenge: ReceivedHead?
  /// The content of that challenge, while libcurl may discard the content itself.
  var challengeContent: ChallengeContent?
  /// The handshake that verifies the server of the exchange's new connection.
  var handshake: Handshake?
  /// The handshake that records how TLS ends, if only the end of the connection ends the body.
  var closingHandshake: Handshake?
  /// The reader of the proxy's response to CONNECT; nil without a tunnel.
  var tunnel: TunnelReader?
  /// The number of rounds of NTLM or Negotiate.
  var rounds = AuthenticationRounds()
  /// The state of the lookup of the host's name.
  var lookup = LookupState.none
  /// Ends the wait for the name.
  var lookupTimer: ScheduledTimer?
  /// The system's error if no descriptor was available for a connection.
  var socketError: SystemError?
  /// Whether the exchange has already restarted to use the descriptor of an idle connection.
  var hasFreedDescriptor = false
  /// The number of the host's addresses that the proxy could not reach.
  var unreachableTargetCount = 0
  /// The address that the network policy refused last.
  var refusedAddress: IPAddress?
}

/// The state of the lookup of the host's name.
enum LookupState {
  case none
  /// libcurl has no addresses for the name.
  case needed
  case running(HostLookups.Waiter)
  /// libcurl has received the addresses.
  case finished

  var isNeeded: Bool { if case .needed = self { true } else { false } }
  var isFinished: Bool { if case .finished = self { true } else { false } }
}
