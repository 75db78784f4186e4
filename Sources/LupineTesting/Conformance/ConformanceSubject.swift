public import LupineCore
import LupineMock

/// A transport to be checked: how to make one, and how to make the other side for it.
///
/// Each check makes a transport of its own and shuts it down at its end. The other side is a ``ScriptedServer`` on
/// loopback, or, for a `MockTransport`, its own stubs. An in-memory transport of another kind brings its peer along.
public struct ConformanceSubject: Sendable {
  /// Makes what answers a transport's requests by a script.
  public typealias PeerMaking =
    @Sendable (_ transport: any Transport, _ script: PeerScript) throws -> any ConformancePeer

  /// What failures call it.
  public let name: String
  let makeTransport: @Sendable () throws -> any Transport
  let makePeer: PeerMaking

  /// Describes a transport to be checked.
  ///
  /// - Parameters:
  ///   - name: what failures call it.
  ///   - peer: makes the other side. Default: ``peer(for:playing:)``.
  ///   - transport: makes a fresh transport.
  public init(
    _ name: String, peer: @escaping PeerMaking = ConformanceSubject.peer(for:playing:),
    transport: @escaping @Sendable () throws -> any Transport
  ) {
    self.name = name
    makeTransport = transport
    makePeer = peer
  }

  /// The mock, to be compared with.
  public static let mock = ConformanceSubject("The mock") { MockTransport() }

  /// Stubs for a mock, a server on loopback for every other transport.
  ///
  /// - Throws: ``SocketFailure`` where no server can be started.
  public static func peer(
    for transport: any Transport, playing script: PeerScript
  ) throws -> any ConformancePeer {
    if let mock = transport as? MockTransport { return MockPeer(mock, script) }
    return try LoopbackPeer(script)
  }
}
