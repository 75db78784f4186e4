import HTTPTypes
import LupineCore

/// The standard reason phrases, which a cassette leaves out.
enum StandardReason {
  private static let statuses: [HTTPResponse.Status] = [
    .continue, .switchingProtocols, .earlyHints, .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent,
    .resetContent, .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified,
    .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed,
    .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone, .lengthRequired,
    .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable,
    .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooEarly, .upgradeRequired,
    .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge, .unavailableForLegalReasons,
    .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
    .httpVersionNotSupported, .networkAuthenticationRequired,
  ]

  private static let phrases = Dictionary(
    statuses.map { ($0.code, $0.reasonPhrase) }, uniquingKeysWith: { first, _ in first })

  /// The phrase of a status code; empty for a code without one.
  static func phrase(_ code: Int) -> String { phrases[code] ?? "" }

  /// The phrase of a response; HTTP/2 and HTTP/3 have none.
  static func phrase(_ code: Int, in version: ProtocolVersion?) -> String {
    switch version {
    case .http2, .http3: ""
    case .http1_0, .http1_1, nil: phrase(code)
    }
  }
}
