#if Terminal
  import ArgumentParser

  /// The options for connections and for the course of a request.
  struct ServerOptions: ParsableArguments {
    /// The transport that makes the connections.
    enum TransportName: String, ExpressibleByArgument, CaseIterable {
      case native, curl
    }

    @Option(help: ArgumentHelp("Sends requests through a proxy: http, https, socks5 or socks5h.", valueName: "url"))
    var proxy: String?

    @Option(
      help: ArgumentHelp(
        "Uses these addresses of a host, in their order. Repeatable.", valueName: "host:address[,address]"))
    var resolve: [String] = []

    @Option(help: ArgumentHelp("Connects to a Unix-domain socket.", valueName: "path"), completion: .file())
    var unixSocket: String?

    @Option(help: ArgumentHelp("Trusts the certificates in a PEM file alone.", valueName: "file"), completion: .file())
    var cacert: String?

    @Option(
      help: ArgumentHelp("Sends a client certificate: PEM, or PKCS#12 (.p12, .pfx).", valueName: "file"),
      completion: .file())
    var cert: String?

    @Option(
      help: ArgumentHelp("The private key of --cert, if it is in another file.", valueName: "file"),
      completion: .file())
    var certKey: String?

    @Option(help: ArgumentHelp("The passphrase of the private key: @FILE or env:NAME.", valueName: "passphrase"))
    var certPassphrase: String?

    @Option(help: ArgumentHelp("Accepts servers with this public key alone. Repeatable.", valueName: "sha256/…"))
    var pin: [String] = []

    @Flag(name: .customLong("http1.1"), help: "Uses HTTP/1.1.")
    var usesHTTP1 = false

    @Flag(name: .customLong("http2"), help: "Uses HTTP/2; without TLS, by prior knowledge.")
    var usesHTTP2 = false

    @Option(help: "Chooses what makes the connections.")
    var transport = TransportName.native

    @Option(help: ArgumentHelp("Repeats a failed request that is safe to repeat.", valueName: "times"))
    var retry = 0

    @Option(help: ArgumentHelp("The longest wait for a connection or for the next bytes.", valueName: "seconds"))
    var timeout: Double?

    @Option(help: ArgumentHelp("The longest time of a request, retries included.", valueName: "seconds"))
    var maxTime: Double?

    @Option(
      help: ArgumentHelp("Keeps responses in a cache in this folder.", valueName: "folder"),
      completion: .directory)
    var cache: String?

    func validate() throws {
      if usesHTTP1, usesHTTP2 { throw ValidationError("--http1.1 and --http2 exclude each other.") }
      guard (0...100).contains(retry) else {
        throw ValidationError("The value of --retry is not a number from 0 to 100.")
      }
      for (name, value) in [("--timeout", timeout), ("--max-time", maxTime)] {
        guard let value else { continue }
        guard value > 0, value <= 1e9 else {
          throw ValidationError("The value of \(name) is not a positive number of seconds.")
        }
      }
      if cert == nil, certKey != nil || certPassphrase != nil {
        throw ValidationError("--cert-key and --cert-passphrase need --cert, which is missing.")
      }
    }
  }
#endif
