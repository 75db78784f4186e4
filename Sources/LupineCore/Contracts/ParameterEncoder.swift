/// Encodes typed parameters into a request: into its query, or into its body as a form, JSON or a property list.
///
/// It changes only what the parameters need, keeps fields that the caller set, and sends nothing. It may be called
/// concurrently.
public protocol ParameterEncoder: Sendable {
  /// Returns the request with the parameters in it.
  func encode(_ parameters: some Encodable & Sendable, into request: OutgoingRequest) throws -> OutgoingRequest
}
