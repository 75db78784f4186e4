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

/// A request as a peer saw it.
public struct PeerRequest: Sendable {
  /// The method.
  public var method: String
  /// The path with its query, as sent.
  public var target: String
  /// The fields in their order; where there is no wire, those that a transport adds are missing.
  public var fields: RawFields
  /// The content, decoded when it was chunked, as far as it was read.
  public var body: [UInt8]
  /// Whether the content was read to its end.
  public var isBodyComplete: Bool
  /// Which request of the peer it is, counted from 0.
  public var number: Int

  /// Describes a request.
  public init(
    method: String, target: String, fields: RawFields, body: [UInt8], isBodyComplete: Bool = true, number: Int
  ) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
    self.isBodyComplete = isBodyComplete
    self.number = number
  }
}
