import LupineCore
import LupineFoundation
import LupineSupport

/// The server of an exchange as it was recorded, which a session's policies judge again.
struct RecordedServer: Sendable {
  let origin: Cassette.Origin
  /// The date of the recorded exchange.
  let date: Date

  /// The details of the recorded handshake; `nil` if the cassette has none.
  var tlsDetails: TLSDetails? {
    origin.tls.map { tls in
      TLSDetails(
        version: tls.version, cipher: tls.cipher, applicationProtocol: tls.applicationProtocol,
        peerCertificates: origin.certificates)
    }
  }

  /// Throws if the session's network policy refuses the recorded address.
  func checkAddress(for url: HTTPURL, in context: TransferContext) throws(LupineError) {
    guard let policy = context.connectionKey.networkPolicy else { return }
    let recorded = origin.address.flatMap { Self.address($0) }
    guard let address = recorded ?? IPAddress(host: url.host), policy.allows(address) else {
      throw NetworkPolicy.refusal(of: recorded, for: url)
    }
  }

  /// Returns the address in a text such as `192.0.2.1:443` or `[2001:db8::1]:443`.
  private static func address(_ text: String) -> IPAddress? {
    guard let colon = text.lastIndex(of: ":") else { return IPAddress(text) }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { return IPAddress(String(host.dropFirst().dropLast())) }
    return IPAddress(String(host)) ?? IPAddress(text)
  }

  /// Throws if the session's evaluator refuses the recorded certificates at the date of the recording.
  ///
  /// The evaluator sees the chain that was verified for the recorded one. If the session that recorded had no evaluator,
  /// the presented chain takes its place, because the transport has verified it.
  func checkTrust(for url: HTTPURL, in context: TransferContext) throws(LupineError) {
    guard let evaluator = context.evaluator, url.scheme == .https else { return }
    guard !origin.certificates.isEmpty else {
      throw LupineError(
        .certificateRejected,
        "The session has a trust evaluator for \(url.host), but the cassette has no certificates of it; record it again."
      )
    }
    let trust = ServerTrust(
      host: url.host, port: url.effectivePort, presentedChain: origin.certificates,
      verifiedChain: origin.verifiedCertificates.isEmpty ? origin.certificates : origin.verifiedCertificates,
      certificateAuthorities: context.connectionKey.certificateAuthorities,
      additionalCertificateAuthorities: context.connectionKey.additionalCertificateAuthorities, now: date,
      warn: { context.emit(.warning($0)) })
    do { try evaluator.evaluate(trust) } catch {
      throw LupineError(
        .certificateRejected, "The recorded certificates of \(url.host) were evaluated and refused: \(error).",
        underlying: error)
    }
  }
}
