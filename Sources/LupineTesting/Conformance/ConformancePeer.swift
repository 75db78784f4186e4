public import LupineCore

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
