import CLibcurl
import LupineCore
import LupineTLS

/// Properties of the installed libcurl.
enum LibcurlInfo {
  /// Initializes libcurl, once per process.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The capabilities of libcurl; without `streamEndChecks`, because libcurl does not expose END_STREAM.
  static let capabilities: TransportCapabilities = {
    var capabilities: TransportCapabilities = [
      .networking, .trailers, .informationalResponses, .streamedUploads, .framingChecks, .strictFraming, .proxies,
      .resolverOverrides, .localAddresses, .networkPolicy, .connectionOptions, .connectionReuse, .hostResolvers,
    ]
    if supports(CURL_VERSION_SSL) { capabilities.insert(.tls) }
    // Only OpenSSL reports how TLS ended. Without it, `missingCloseNotify` cannot be applied.
    if isSecuredByOpenSSL {
      capabilities.formUnion([.trustEvaluation, .clientCertificates, .tlsVersions, .responseTolerances])
    }
    if supports(CURL_VERSION_NTLM), supports(CURL_VERSION_SPNEGO) { capabilities.insert(.connectionAuthentication) }
    if supports(CURL_VERSION_UNIX_SOCKETS) { capabilities.insert(.unixSockets) }
    if supports(CURL_VERSION_HTTP2) { capabilities.insert(.http2) }
    return capabilities
  }()

  /// Whether HTTP/2 without TLS fails on a reused connection, as in libcurl before 8.0 (curl#10634).
  static let breaksReusedPriorKnowledge: Bool = {
    guard isReady, let info = curl_version_info(CURLVERSION_FIRST) else { return true }
    return info.pointee.version_num < 0x08_00_00
  }()

  /// Whether a reused handle keeps a pointer to the last field of its previous transfer, as in libcurl before 8.1
  /// (curl#11101).
  static let keepsLastField: Bool = {
    guard isReady, let info = curl_version_info(CURLVERSION_FIRST) else { return true }
    return info.pointee.version_num < 0x08_01_00
  }()

  /// Whether libcurl may use the handle of a cancelled HTTP/2 request after it was removed, as before 8.6 (curl#10936).
  static let usesRemovedHandles: Bool = {
    guard isReady, let info = curl_version_info(CURLVERSION_FIRST) else { return true }
    return info.pointee.version_num < 0x08_06_00
  }()

  /// Whether libcurl uses OpenSSL for TLS, which allows `Handshake` to verify servers.
  static let isSecuredByOpenSSL: Bool = {
    guard isReady, let info = curl_version_info(CURLVERSION_FIRST), let name = info.pointee.ssl_version else {
      return false
    }
    return String(cString: name).hasPrefix("OpenSSL/")
  }()

  /// Returns one issue for each cipher suite and group that cannot be offered.
  static func issues(with algorithms: TLSAlgorithms) -> [ConfigurationIssue] {
    if isSecuredByOpenSSL { return OfferedAlgorithms.issues(with: algorithms) }
    guard algorithms != TLSAlgorithms() else { return [] }
    return [
      ConfigurationIssue(
        part: OfferedAlgorithms.part,
        reason: "the installed libcurl does not use OpenSSL, so the transport cannot choose what it offers")
    ]
  }

  private static func supports(_ feature: Int32) -> Bool {
    guard isReady, let info = curl_version_info(CURLVERSION_FIRST) else { return false }
    return info.pointee.features & feature != 0
  }
}
