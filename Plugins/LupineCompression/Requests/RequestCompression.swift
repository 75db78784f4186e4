public import LupineCore
import FoundationEssentials
import HTTPTypes
public import LupineSession

/// Encodes the bodies of requests, and names the coding in `Content-Encoding`.
///
/// Use it only for servers that are known to accept the coding; servers rarely announce that. A body in memory of at
/// most 1 MiB is encoded before sending and keeps a known length. Any other body is encoded while it is sent, in
/// constant memory; its length is unknown, so it is sent chunked on HTTP/1.1.
public struct RequestCompression: RequestAdapter {
  /// The treatment of a request that already has a `Content-Encoding`.
  public enum ExistingCoding: Sendable, Hashable {
    /// The request fails with kind `invalidRequest`.
    case fail
    /// The field is removed, and the body is encoded as if the field had been absent.
    case replace
    /// The request is sent unchanged.
    case skip
  }

  private let coding: any ContentCoding
  private let minimumSize: Int64
  private let existing: ExistingCoding

  /// Creates the adapter with a coding.
  ///
  /// - Parameters:
  ///   - minimumSize: the size in bytes below which a body of known length is not encoded. Default: 1 KiB.
  ///   - existing: the treatment of a request that already has a `Content-Encoding`. Default: the request fails.
  public init(_ coding: some ContentCoding, minimumSize: Int64 = 1 << 10, existing: ExistingCoding = .fail) {
    self.coding = coding
    self.minimumSize = minimumSize
    self.existing = existing
  }

  /// Encodes the body.
  ///
  /// - Throws: `LupineError` of kind `invalidRequest` if the request has a `Content-Encoding` and `existing` is `fail`.
  public func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard !request.body.isNone else { return request }
    var request = request
    if let field = request.headers[.contentEncoding] {
      switch existing {
      case .skip: return request
      case .replace: request.headers[.contentEncoding] = nil
      case .fail:
        throw LupineError(
          .invalidRequest,
          "The request has a Content-Encoding, \(field), and would be coded with \(coding.name) again; say whether to replace or skip it."
        )
      }
    }
    if let length = request.body.length, length < minimumSize { return request }
    request.body = try coded(request.body)
    request.headers[.contentEncoding] = coding.name
    return request
  }

  /// The size in bytes above which a body is encoded while it is sent, so that the caller does not wait for it.
  private static let mostAtOnce = 1 << 20

  private func coded(_ body: RequestBody) throws(LupineError) -> RequestBody {
    if case .bytes(let data) = body.source, data.count <= Self.mostAtOnce {
      let reader = CodingReader(try body.makeReader {}, try coding.makeEncoder())
      return .bytes(try reader.readAll())
    }
    return RequestBody(length: nil, through: [body]) { [coding] (onReady) throws(LupineError) in
      CodingReader(try body.makeReader(onReady: onReady), try coding.makeEncoder())
    }
  }
}

extension RequestAdapter where Self == RequestCompression {
  /// Encodes the bodies of requests; see `RequestCompression`.
  public static func compression(
    _ coding: some ContentCoding = GzipCoding(), minimumSize: Int64 = 1 << 10,
    existing: RequestCompression.ExistingCoding = .fail
  ) -> RequestCompression {
    RequestCompression(coding, minimumSize: minimumSize, existing: existing)
  }
}
