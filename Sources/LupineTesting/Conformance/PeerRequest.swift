/// A request that a peer received.
public struct PeerRequest: Sendable {
  /// The method.
  public var method: String
  /// The path with its query, as sent.
  public var target: String
  /// The fields in their order; a peer without connections does not receive the fields that a transport adds.
  public var fields: RawFields
  /// The received part of the content, after the chunked coding is removed.
  public var body: [UInt8]
  /// Whether the content was read to its end.
  public var isBodyComplete: Bool
  /// The number of the request on the peer, from 0.
  public var number: Int
  /// The number of the request on its connection, from 0; always 0 for a peer without connections.
  public var index: Int

  /// Creates a request.
  public init(
    method: String, target: String, fields: RawFields, body: [UInt8], isBodyComplete: Bool = true, number: Int,
    index: Int = 0
  ) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
    self.isBodyComplete = isBodyComplete
    self.number = number
    self.index = index
  }
}
