#if Terminal
  /// The options of curl that stand for those of the command line, without secrets.
  struct CurlOptions {
    private let options: [String]

    /// - Parameter port: the port of the request, because curl's `--resolve` is for one port.
    init(_ server: ServerOptions, _ credentials: CredentialOptions, follows: Bool, port: Int) throws {
      var options: [String] = []
      if credentials.digest != nil { options.append("--digest --user 'REDACTED'") }
      if follows { options.append("--location") }
      if server.retry > 0 { options.append("--retry \(server.retry)") }
      if server.usesHTTP1 { options.append("--http1.1") }
      if server.usesHTTP2 { options.append("--http2-prior-knowledge") }
      if let time = server.timeout { options.append("--connect-timeout \(time)") }
      if let time = server.maxTime { options.append("--max-time \(time)") }
      let texts = [
        ("--unix-socket", server.unixSocket), ("--cacert", server.cacert), ("--cert", server.cert),
        ("--key", server.certKey),
      ]
      options += texts.compactMap { name, value in value.map { "\(name) \(Self.quote($0))" } }
      if let proxy = server.proxy { options.append("--proxy \(Self.quote(Self.withoutUser(proxy)))") }
      options += try HostAddresses.read(server.resolve).map { entry in
        "--resolve \(Self.quote("\(entry.host):\(port):\(entry.addresses.joined(separator: ","))"))"
      }
      if !server.pin.isEmpty {
        let pins = server.pin.map { pin in
          pin.hasPrefix("sha256/") && !pin.hasPrefix("sha256//") ? "sha256//" + pin.dropFirst(7) : pin
        }
        options.append("--pinnedpubkey \(Self.quote(pins.joined(separator: ";")))")
      }
      self.options = options
    }

    /// Adds the options to a command, after the name of the program.
    func adding(to command: String) -> String {
      guard !options.isEmpty, let place = command.firstRange(of: "curl --globoff") else { return command }
      return command[..<place.upperBound] + " \\\n  " + options.joined(separator: " \\\n  ")
        + command[place.upperBound...]
    }

    /// The scheme of a proxy is optional.
    private static func withoutUser(_ url: String) -> String {
      guard let at = url.lastIndex(of: "@") else { return url }
      let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
      return url[..<start] + "REDACTED" + url[at...]
    }

    private static func quote(_ text: String) -> String {
      "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
  }
#endif
