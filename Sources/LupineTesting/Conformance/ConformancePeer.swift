public import LupineCore

/// The other side of a transport that is checked: answers as a ``PeerScript`` says and remembers what arrived.
public protocol ConformancePeer: Sendable {
  /// The URL of its root without a final slash.
  var url: String { get }
  /// The requests so far, in the order in which they were answered.
  var requests: [PeerRequest] { get }
  /// How many connections were made so far; `nil` where there is no such thing.
  var connectionCount: Int? { get }

  /// Hears of a request just before it is sent, for peers that must know its method beforehand.
  func prepare(for request: OutgoingRequest)

  /// Waits until so many connections are open; returns at once where there is no such thing.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, or another error when the peer stopped before.
  func waitForOpenConnections(_ count: Int) async throws

  /// Ends everything that is under way; a second call does nothing.
  func stop()
}
