public import LupineCore
import LupineMock

/// A transport to check, with the closures that make it and its peer.
///
/// Each check makes its own transport and shuts it down at the end. By default the peer is a ``ScriptedServer`` on
/// loopback; for a `MockTransport`, stubs of that mock. Another in-memory transport supplies its own peer.
public struct ConformanceSubject: Sendable {
  /// Makes the peer that answers a transport's requests according to a script.
  ///
  /// It is called in the task of the check, before the requests.
  public typealias PeerMaking =
    @Sendable (_ transport: any Transport, _ script: PeerScript) throws -> any ConformancePeer

  /// The transport's name in failures.
  public let name: String
  let makeTransport: @Sendable () throws -> any Transport
  let makePeer: PeerMaking

  /// Creates a subject.
  ///
  /// - Parameters:
  ///   - name: the transport's name in failures.
  ///   - peer: makes the peer. Default: ``peer(for:playing:)``.
  ///   - transport: makes a new transport. It is called in the task of each check; calls of different checks may be
  ///     concurrent.
  public init(
    _ name: String, peer: @escaping PeerMaking = ConformanceSubject.peer(for:playing:),
    transport: @escaping @Sendable () throws -> any Transport
  ) {
    self.name = name
    makeTransport = transport
    makePeer = peer
  }

  /// The mock, for comparisons.
  public static let mock = ConformanceSubject("The mock") { MockTransport() }

  /// Makes a peer: stubs for a mock, a server on loopback for any other transport.
  ///
  /// - Throws: ``SocketFailure`` if the server cannot be started.
  public static func peer(
    for transport: any Transport, playing script: PeerScript
  ) throws -> any ConformancePeer {
    if let mock = transport as? MockTransport { return MockPeer(mock, script) }
    return try LoopbackPeer(script)
  }
}

/// The server for a transport under check: it answers according to a ``PeerScript`` and records the requests.
public protocol ConformancePeer: Sendable {
  /// The URL of the root without a trailing slash.
  var url: String { get }
  /// The requests so far, in the order in which they were answered.
  var requests: [PeerRequest] { get }
  /// The number of connections so far; `nil` for a peer without connections.
  var connectionCount: Int? { get }

  /// Receives a request before it is sent, for a peer that must know its method in advance.
  func prepare(for request: OutgoingRequest)

  /// Waits until `count` connections are open; returns at once for a peer without connections.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, or another error if the peer stops before.
  func waitForOpenConnections(_ count: Int) async throws

  /// Ends all exchanges; a second call does nothing.
  func stop()
}
