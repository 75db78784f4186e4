import HTTPTypes
import LupineCore
import LupineSupport
import LupineTLS

/// Rejects requests that are not valid or that libcurl cannot send, before anything is sent.
///
/// The rules are part of the transport, because a transport may be used without a session.
enum CurlRequestRules {
  static func check(_ request: OutgoingRequest, _ context: TransferContext) throws(LupineError) {
    try TrustRules.check(context)
    try check(request.version)
    try RequestRules.check(request, limits: context.limits)
  }

  private static func check(_ version: ProtocolVersion?) throws(LupineError) {
    switch version {
    case .http3: throw invalid("This transport does not support HTTP/3; request HTTP/2, or leave the version open.")
    case .http2 where !LibcurlInfo.capabilities.contains(.http2):
      throw invalid("The installed libcurl does not support HTTP/2; leave the version open.")
    default: break
    }
  }

  private static func invalid(_ message: String) -> LupineError { LupineError(.invalidRequest, message) }
}
