public import LupineCore
public import LupineSession
public import LupineTransfers

/// How a cache handled a request (RFC 9211).
///
/// The description is the list of parameters of the `Cache-Status` field, such as `hit; ttl=42` or
/// `fwd=stale; fwd-status=304; stored`. The value is about the last exchange of a request.
public struct CacheStatus: ResponseAttributeKey, Sendable, Hashable, CustomStringConvertible {
  /// Whether a stored response answered without the server.
  public var isHit: Bool
  /// Why the request went to the server; `nil` for a hit.
  public var forward: Forward?
  /// The status of the server's response, if it differs from that of the response; `nil` for a hit.
  public var forwardStatus: Int?
  /// The remaining freshness of the stored response in seconds; negative if it is stale.
  ///
  /// `nil` if the server answered.
  public var timeToLive: Int?
  /// Whether the cache keeps the server's response: it is stored while it arrives, unless it turns out to be incomplete
  /// or too large.
  public var isStored: Bool
  /// Whether the request waited for the response to another request, and received it from the cache.
  ///
  /// `forward` then says why that one was sent.
  public var isCollapsed: Bool
  /// More about the decision, such as why a stale response was used.
  public var detail: String?

  /// Creates the status of a response.
  public init(
    isHit: Bool = false, forward: Forward? = nil, forwardStatus: Int? = nil, timeToLive: Int? = nil,
    isStored: Bool = false, isCollapsed: Bool = false, detail: String? = nil
  ) {
    self.isHit = isHit
    self.forward = forward
    self.forwardStatus = forwardStatus
    self.timeToLive = timeToLive
    self.isStored = isStored
    self.isCollapsed = isCollapsed
    self.detail = detail
  }

  /// Why a request went to the server (RFC 9211 section 2.2).
  public enum Forward: String, Sendable, Hashable {
    /// The cache does not handle such a request.
    case bypass
    /// The method is not one that the cache answers.
    case method
    /// There was no stored response of the URL.
    case uriMiss = "uri-miss"
    /// No stored response of the URL fits the selecting fields or the user.
    case varyMiss = "vary-miss"
    /// The request did not accept the stored response, which was fresh.
    case request
    /// The stored response was stale.
    case stale
    /// Parts of the response were stored, and not all that was requested.
    case partial
  }

  /// The parameters of `Cache-Status`, separated by `; `.
  public var description: String {
    var parts = isHit ? ["hit"] : []
    if let forward { parts.append("fwd=\(forward.rawValue)") }
    if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
    if let timeToLive { parts.append("ttl=\(timeToLive)") }
    if isStored { parts.append("stored") }
    if isCollapsed { parts.append("collapsed") }
    if let detail { parts.append("detail=\(Self.token(detail))") }
    return parts.joined(separator: "; ")
  }

  /// The text as a token if it is one, else as a string (RFC 9651 section 3.3).
  private static func token(_ text: String) -> String {
    let isToken = text.utf8.allSatisfy { $0 == 0x2D || ($0 | 0x20) &- 0x61 < 26 }
    return isToken ? text : "\"\(text)\""
  }
}

extension ResponseAttributes {
  /// How the cache handled the request; `nil` if the session has no cache.
  public var cacheStatus: CacheStatus? { self[CacheStatus.self] }
}

extension DataResponse {
  /// How the cache handled the request; `nil` if the session has no cache.
  public var cacheStatus: CacheStatus? { attributes.cacheStatus }
}

extension DownloadResponse {
  /// How the cache handled the request; `nil` if the session has no cache.
  public var cacheStatus: CacheStatus? { attributes.cacheStatus }
}
