#if Terminal
  import ArgumentParser
  import LupineCore
  import LupineFoundation
  import LupineOpenSSL

  /// `lupine pins`: prints the certificate chain, the validity and the pins of a server or a file.
  struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pins", abstract: "Prints the certificates of a server or a file, and the pins of their keys.",
      discussion: """
        For a server, prints the verified chain if it leads to one of this machine's roots, else the certificates that \
        the server sends; SSL_CERT_FILE names another file of roots. No request is sent: the handshake is ended early.
        """)

    @Argument(help: "HOST, HOST:PORT, a URL of https, or a file of certificates in PEM, DER or PKCS#7.")
    var source: String

    func run() async throws {
      if FileManager.default.fileExists(atPath: source) { return try printFile() }
      guard source.hasPrefix("https://") || !source.contains("/") else {
        throw CommandFailure(
          "\(source.debugDescription) is not a file. Name a file of certificates, or a server as HOST or HOST:PORT.",
          .fileFailed)
      }
      let chain = await PresentedChain.ask(source)
      guard !chain.certificates.isEmpty else {
        let reason = chain.problem?.message ?? "It presented none."
        throw CommandFailure(
          "\(source.debugDescription) is not a file, and no server of that name presents a certificate: \(reason)",
          chain.problem.map { ExitStatus($0) } ?? .tlsFailed)
      }
      print(CertificateReport(chain.certificates).text)
      chain.remarks.forEach { print($0) }
    }

    private func printFile() throws {
      let read = Certificates.file(source)
      guard read.problems.isEmpty else {
        let problems = read.problems.map { $0.hasPrefix("\(source): ") ? String($0.dropFirst(source.count + 2)) : $0 }
        throw CommandFailure(
          "\(source.debugDescription) cannot be used: \(problems.joined(separator: "; ")). Name a file of certificates in "
            + "PEM, DER or PKCS#7.")
      }
      print(CertificateReport(read.certificates).text)
    }
  }

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
