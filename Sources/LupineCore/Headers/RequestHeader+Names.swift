import HTTPTypes
import LupineSupport

/// The names of request fields for which swift-http-types and this library have constants.
extension RequestHeader.Name {
  /// `Accept`.
  public static var accept: Self { Self(HTTPField.Name.accept) }
  /// `Accept-Encoding`.
  public static var acceptEncoding: Self { Self(HTTPField.Name.acceptEncoding) }
  /// `Accept-Language`.
  public static var acceptLanguage: Self { Self(HTTPField.Name.acceptLanguage) }
  /// `Access-Control-Request-Headers`.
  public static var accessControlRequestHeaders: Self { Self(HTTPField.Name.accessControlRequestHeaders) }
  /// `Access-Control-Request-Method`.
  public static var accessControlRequestMethod: Self { Self(HTTPField.Name.accessControlRequestMethod) }
  /// `Authorization`.
  public static var authorization: Self { Self(HTTPField.Name.authorization) }
  /// `Cache-Control`.
  public static var cacheControl: Self { Self(HTTPField.Name.cacheControl) }
  /// `Connection`.
  public static var connection: Self { Self(HTTPField.Name.connection) }
  /// `Content-Disposition`.
  public static var contentDisposition: Self { Self(HTTPField.Name.contentDisposition) }
  /// `Content-Encoding`.
  public static var contentEncoding: Self { Self(HTTPField.Name.contentEncoding) }
  /// `Content-Language`.
  public static var contentLanguage: Self { Self(HTTPField.Name.contentLanguage) }
  /// `Content-Length`.
  public static var contentLength: Self { Self(HTTPField.Name.contentLength) }
  /// `Content-Location`.
  public static var contentLocation: Self { Self(HTTPField.Name.contentLocation) }
  /// `Content-Range`.
  public static var contentRange: Self { Self(HTTPField.Name.contentRange) }
  /// `Content-Type`.
  public static var contentType: Self { Self(HTTPField.Name.contentType) }
  /// `Cookie`.
  public static var cookie: Self { Self(HTTPField.Name.cookie) }
  /// `Date`.
  public static var date: Self { Self(HTTPField.Name.date) }
  /// `Expect`.
  public static var expect: Self { Self(HTTPField.Name.expect) }
  /// `From`.
  public static var from: Self { Self(HTTPField.Name.from) }
  /// `Host`.
  public static var host: Self { Self(HTTPField.Name.host) }
  /// `Idempotency-Key`.
  public static var idempotencyKey: Self { Self(HTTPField.Name.idempotencyKey) }
  /// `If-Match`.
  public static var ifMatch: Self { Self(HTTPField.Name.ifMatch) }
  /// `If-Modified-Since`.
  public static var ifModifiedSince: Self { Self(HTTPField.Name.ifModifiedSince) }
  /// `If-None-Match`.
  public static var ifNoneMatch: Self { Self(HTTPField.Name.ifNoneMatch) }
  /// `If-Range`.
  public static var ifRange: Self { Self(HTTPField.Name.ifRange) }
  /// `If-Unmodified-Since`.
  public static var ifUnmodifiedSince: Self { Self(HTTPField.Name.ifUnmodifiedSince) }
  /// `Max-Forwards`.
  public static var maxForwards: Self { Self(HTTPField.Name.maxForwards) }
  /// `Origin`.
  public static var origin: Self { Self(HTTPField.Name.origin) }
  /// `Priority`.
  public static var priority: Self { Self(HTTPField.Name.priority) }
  /// `Proxy-Authorization`.
  public static var proxyAuthorization: Self { Self(HTTPField.Name.proxyAuthorization) }
  /// `Range`.
  public static var range: Self { Self(HTTPField.Name.range) }
  /// `Referer`.
  public static var referer: Self { Self(HTTPField.Name.referer) }
  /// `TE`.
  public static var te: Self { Self(HTTPField.Name.te) }
  /// `Trailer`.
  public static var trailer: Self { Self(HTTPField.Name.trailer) }
  /// `Transfer-Encoding`.
  public static var transferEncoding: Self { Self(HTTPField.Name.transferEncoding) }
  /// `Upgrade`.
  public static var upgrade: Self { Self(HTTPField.Name.upgrade) }
  /// `User-Agent`.
  public static var userAgent: Self { Self(HTTPField.Name.userAgent) }
  /// `Via`.
  public static var via: Self { Self(HTTPField.Name.via) }
}
