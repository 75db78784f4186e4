import HTTPTypes

/// Whether another request may follow on the connection (RFC 9112 sections 6.3 and 9.3).
struct ResponsePersistence {
  private(set) var allowsNext: Bool
  private let isOldVersion: Bool
  private let hasNoContent: Bool

  init(_ request: ReceivedHTTPRequest) {
    isOldVersion = request.version == "HTTP/1.0"
    hasNoContent = request.method == .head
    allowsNext =
      isOldVersion
      ? request.fields.contains(token: "keep-alive", in: "Connection")
      : !request.fields.contains(token: "close", in: "Connection")
  }

  /// Applies the head of the final response.
  mutating func note(status: Int, fields: RawFields) {
    let isEmpty = hasNoContent || status == 204 || status == 304
    let isFramed = fields["Content-Length"] != nil || fields.contains(token: "chunked", in: "Transfer-Encoding")
    let closes = fields.contains(token: "close", in: "Connection")
    let agrees = !isOldVersion || fields.contains(token: "keep-alive", in: "Connection")
    if !(isEmpty || isFramed) || closes || !agrees { allowsNext = false }
  }
}
