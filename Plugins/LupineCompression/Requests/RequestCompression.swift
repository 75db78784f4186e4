public import LupineCore
import FoundationEssentials
import HTTPTypes
public import LupineSession

/// Codes the bodies of requests, and names the coding in `Content-Encoding`.
///
/// Servers rarely say that they accept it, so it is for those that are known to. A body in memory keeps a known length;
/// anything else is coded as it is sent, in constant memory, and its length is unknown then: it goes out chunked on
/// HTTP/1.1.
public struct RequestCompression: RequestAdapter {
  /// What happens to a request that has a `Content-Encoding` already.
  public enum ExistingCoding: Sendable, Hashable {
    /// It fails with kind `invalidRequest`.
    case fail
    /// Its field is taken to be wrong: it is replaced and the body coded, or removed where the body is too small for that.
    case replace
    /// It is sent as it is.
    case skip
  }

  private let coding: any ContentCoding
  private let minimumSize: Int64
  private let existing: ExistingCoding

  /// Codes with this coding.
  ///
  /// - Parameters:
  ///   - minimumSize: bytes below which a body of known length is sent as it is. Default: 1 KiB.
  ///   - existing: what happens to a request that has a `Content-Encoding` already. Default: it fails.
  public init(_ coding: some ContentCoding, minimumSize: Int64 = 1 << 10, existing: ExistingCoding = .fail) {
    self.coding = coding
    self.minimumSize = minimumSize
    self.existing = existing
  }

  /// Codes the body.
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

  /// More than this is coded as it is sent, so that no caller waits for it.
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
  /// Codes the bodies of requests; see `RequestCompression`.
  public static func compression(
    _ coding: some ContentCoding = GzipCoding(), minimumSize: Int64 = 1 << 10,
    existing: RequestCompression.ExistingCoding = .fail
  ) -> RequestCompression {
    RequestCompression(coding, minimumSize: minimumSize, existing: existing)
  }
}
