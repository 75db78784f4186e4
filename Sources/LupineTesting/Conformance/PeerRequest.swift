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
  /// Which request of its connection it is, counted from 0; 0 where there is no wire.
  public var index: Int

  /// Describes a request.
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
