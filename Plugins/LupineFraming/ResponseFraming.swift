public import HTTPTypes
public import LupineCore
import LupineSupport

/// The rule by which the end of a response's body is found in HTTP/1.1 (RFC 9112 section 6.3).
///
/// A head with two rules, or with an invalid one, is refused: another program may find a different end, and bytes of
/// one response would then become the next response (response smuggling). The transport closes the connection of a
/// refused head.
///
/// ```swift
/// let head = HTTPResponse(status: .ok, headerFields: [.transferEncoding: "chunked"])
/// let framing = try ResponseFraming(of: head, to: .get)
/// ```
public enum ResponseFraming: Sendable, Hashable {
  /// There is no body, whatever the fields say: the response to HEAD, a 204 or a 304, or a 2xx to CONNECT.
  case none
  /// The body has this number of bytes.
  case length(Int64)
  /// The body is chunked; a `ChunkReader` finds its end.
  case chunked
  /// The body ends with the connection.
  ///
  /// The connection carries no other exchange. With TLS the body is complete only after close_notify (RFC 9112
  /// section 9.8).
  case untilClose

  /// Finds the rule for a final response.
  ///
  /// - Parameters:
  ///   - head: the final head with all its fields.
  ///   - method: the method of the request.
  ///   - version: the version in the status line. Default: HTTP/1.1.
  /// - Throws: `LupineError` of kind `malformedResponse` for `Transfer-Encoding` beside `Content-Length`, for a
  ///   repeated or invalid `Content-Length`, for a transfer coding other than one `chunked`, and for any in HTTP/1.0.
  public init(
    of head: HTTPResponse, to method: HTTPRequest.Method, in version: ProtocolVersion = .http1_1
  ) throws(LupineError) {
    let length = try Self.length(head.headerFields[values: .contentLength])
    let codings = head.headerFields[values: .transferEncoding]
    if !codings.isEmpty {
      guard length == nil else { throw MalformedFraming.twoRules.error }
      guard version != .http1_0, codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw MalformedFraming.transferCoding.error
      }
    }
    let isTunnel = method == .connect && head.status.kind == .successful
    if isTunnel || method == .head || head.status.code == 204 || head.status.code == 304 {
      self = .none
    } else if !codings.isEmpty {
      self = .chunked
    } else {
      self = length.map { .length($0) } ?? .untilClose
    }
  }

  private static func length(_ values: [String]) throws(LupineError) -> Int64? {
    guard let value = values.first else { return nil }
    guard values.count == 1, value.utf8.allSatisfy(\.isDigit), let length = Int64(value) else {
      throw MalformedFraming.length.error
    }
    return length
  }
}

/// The violations of the rules for the end of a body.
enum MalformedFraming: String {
  case twoRules = "it has both Content-Length and Transfer-Encoding"
  case length = "its Content-Length is not one decimal number"
  case transferCoding = "its Transfer-Encoding is not exactly chunked, or its version is HTTP/1.0"

  /// The error for the violation.
  var error: LupineError {
    LupineError(.malformedResponse, "The response violates HTTP: \(rawValue). Its connection is closed.")
  }
}
