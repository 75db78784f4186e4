import HTTPTypes
import LupineCore
import LupineEventLoop

// `_read` accessors avoid a retain for each access.
extension Submission {
  var url: HTTPURL { _read { yield request.url } }

  var method: HTTPRequest.Method { request.method }

  var connectionKey: ConnectionKey { context.connectionKey }

  var settings: ExchangeSettings { _read { yield context.settings } }

  /// The required version, or else HTTP/1.1: libcurl does not expose the end of an HTTP/2 body (see `ResponseEnd`).
  var version: ProtocolVersion { request.version ?? .http1_1 }

  var isSecured: Bool { url.scheme == .https }

  /// The remaining connect timeout; `nil` for no limit.
  var connectTimeout: Duration? {
    if let lookup = target.lookup { lookup.connectTimeout } else { context.connectTimeout }
  }
}
