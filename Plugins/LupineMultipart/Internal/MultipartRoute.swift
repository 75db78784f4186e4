import HTTPTypes
import LupineCoding
import LupineCore

/// The upload of a multipart in the form that a session takes.
struct MultipartRoute: RequestConvertible {
  let multipart: Result<Multipart, any Error>
  let url: any URLConvertible
  let method: HTTPRequest.Method
  let headers: HTTPFields

  func asRequest() throws -> OutgoingRequest { try asRequest(relativeTo: nil) }

  func asRequest(relativeTo base: HTTPURL?) throws -> OutgoingRequest {
    let multipart = try multipart.get()
    return try OutgoingRequest(url: url.asURL(relativeTo: base), method: method, headers: headers)
      .beforeOptions { (request) throws(LupineError) in try request.encoding(multipart: multipart) }
  }
}
