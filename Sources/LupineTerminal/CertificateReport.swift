#if Terminal
  import LupineFoundation
  import LupineOpenSSL

  /// Formats certificates as text.
  struct CertificateReport {
    let text: String

    init(_ certificates: [Certificate], now: Date = Date()) {
      text = certificates.enumerated().map { index, certificate in
        var lines = ["\(index)  \(certificate.subject)", "   issuer  \(certificate.issuer)"]
        let state = certificate.isValid(at: now) ? "" : "  (not valid today)"
        lines.append(
          "   valid   \(certificate.notBefore.formatted(.iso8601)) to \(certificate.notAfter.formatted(.iso8601))\(state)"
        )
        if !certificate.names.isEmpty {
          lines.append("   names   \(certificate.names.prefix(20).joined(separator: ", "))")
        }
        lines.append("   pin     \(certificate.publicKeyPin)")
        return lines.joined(separator: "\n")
      }.joined(separator: "\n")
    }
  }
#endif
