import Foundation
import HTTPTypes

@testable import LupineCore

/// A complete response from `https://example.com/`, for the tests of serializers and validators.
func received(
  _ body: some Sequence<UInt8>, status: Int = 200, contentType: String? = nil, accept: String? = nil,
  method: HTTPRequest.Method = .get
) throws -> ReceivedResponse {
  var request = OutgoingRequest(url: try HTTPURL("https://example.com/"), method: method)
  request.headers[.accept] = accept
  var head = HTTPResponse(status: .init(code: status))
  head.headerFields[.contentType] = contentType
  return ReceivedResponse(request: request, head: head, data: Data(body))
}

func received(
  _ body: String, status: Int = 200, contentType: String? = nil, accept: String? = nil,
  method: HTTPRequest.Method = .get
) throws -> ReceivedResponse {
  try received(body.utf8, status: status, contentType: contentType, accept: accept, method: method)
}

/// The error that a serializer throws, or `nil` if it throws none.
func failure<Output>(
  of serializer: some ResponseSerializer<Output>, _ response: ReceivedResponse
) throws -> LupineError? {
  do {
    _ = try serializer.serialize(response)
    return nil
  } catch let error as LupineError {
    return error
  }
}
