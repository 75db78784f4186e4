#if Terminal
  import LupineCore
  import LupineSession

  extension LupineError {
    /// The message for the users of the program: with options in the place of the session's parts, and with the host.
    ///
    /// - Parameters:
    ///   - last: the last exchange, whose host is named. Default: that of the request.
    ///   - url: the URL beside which the message stands, whose host is not named again.
    func programMessage(after last: LastExchange? = nil, besides url: HTTPURL? = nil) -> String {
      if case .configuration(let issues) = kind { return Self.text(of: issues) }
      // A session can accept such a response, but no option of the program does.
      let end = message.firstRange(of: " If its server cannot be corrected, '.tolerating(")?.lowerBound
      let advice = lacksRoot ? " --cacert FILE trusts its root certificate." : ""
      let text = message[..<(end ?? message.endIndex)] + advice
      let isAboutHost = isLostConnection || kind == .tlsFailed || kind == .certificateRejected
      let host = (last?.request ?? request).flatMap(Self.host)
      guard isAboutHost, let host, host != url.map(Self.host) else { return String(text) }
      return "\(host): \(text)"
    }

    private static func host(of request: RequestSummary) -> String? {
      (try? HTTPURL(String(request.url.prefix { $0 != "?" }))).map(host)
    }

    private static func host(of url: HTTPURL) -> String {
      url.port == nil ? "\(url.authority):\(url.effectivePort)" : url.authority
    }

    /// Whether no trusted root certificate leads to that of the server, as OpenSSL says.
    private var lacksRoot: Bool {
      kind == .certificateRejected && ["issuer", "self-signed", "first certificate"].contains { message.contains($0) }
    }

    /// The options that set the parts of a session.
    private static let options = [
      "certificateAuthorities": "--cacert: ", "clientCertificate": "--cert: ", "environmentProxies": "",
      "proxy": "--proxy: ", "resolve": "--resolve: ", "trust": "--pin: ", "unixSocket": "--unix-socket: ",
    ]

    /// Returns the first reason of each part; further ones often follow from it.
    private static func text(of issues: [ConfigurationIssue]) -> String {
      var parts: [String] = []
      var sentences: [String] = []
      for issue in issues where !parts.contains(issue.part) {
        parts.append(issue.part)
        let reason = issue.reason.trimmingPrefix("otherwise: ")
        sentences.append((options[issue.part] ?? "\(issue.part): ") + reason + (reason.hasSuffix(".") ? "" : "."))
      }
      return sentences.joined(separator: " ")
    }
  }
#endif
