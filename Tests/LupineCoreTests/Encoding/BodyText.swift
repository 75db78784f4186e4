import FoundationEssentials
import LupineCore
import Testing

/// The bytes that an encoder put into a request's body.
func rawBytes(of request: OutgoingRequest) throws -> Data {
  guard case .bytes(let data) = request.body.source else {
    Issue.record("The body is not made of bytes.")
    return Data()
  }
  return data
}

/// The bytes of a request's body as text.
func bytes(of request: OutgoingRequest) throws -> String {
  String(decoding: try rawBytes(of: request), as: UTF8.self)
}
