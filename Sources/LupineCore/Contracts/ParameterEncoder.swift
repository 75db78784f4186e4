/// Encodes typed parameters into a request: into its query, or into its body as a form, JSON or a property list.
///
/// The session calls the encoder once for each request, when the request is made, on the caller's thread; calls may be
/// concurrent. An encoder changes only what the parameters need and keeps fields that the caller set. It must not send
/// anything or wait for anything.
///
/// This encoder makes a JSON Merge Patch (RFC 7396) of the parameters:
///
/// ```swift
/// struct MergePatchEncoder: ParameterEncoder {
///   func encode(
///     _ parameters: some Encodable & Sendable, into request: OutgoingRequest
///   ) throws -> OutgoingRequest {
///     var request = request
///     request.body = .bytes(try JSONEncoder().encode(parameters))
///     request.headers[.contentType] = "application/merge-patch+json"
///     return request
///   }
/// }
/// ```
public protocol ParameterEncoder: Sendable {
  /// Returns the request with the parameters in it.
  ///
  /// - Throws: any error; the request then ends with kind `parameterEncodingFailed`, whose `underlying` is that error.
  ///   A `LupineError` is passed on unchanged.
  func encode(_ parameters: some Encodable & Sendable, into request: OutgoingRequest) throws -> OutgoingRequest
}
