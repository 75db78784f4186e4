#if Terminal
  import HTTPTypes

  /// The method, the URL and the items of a request on the command line.
  struct RequestLine {
    /// The method; `nil` if the command line has none.
    let method: HTTPRequest.Method?
    let url: String
    let items: [RequestItem]

    /// Reads `[METHOD] URL [ITEM…]`.
    ///
    /// The first word is a method if it is a known one, in any case, or has capital letters alone, and another word
    /// follows.
    init(_ words: [String], defaultScheme: String) throws {
      var words = words[...]
      guard let first = words.first else { throw CommandFailure("A URL is missing. Try: lupine --help", .usage) }
      if let method = Self.method(first) {
        words.removeFirst()
        guard !words.isEmpty else {
          throw CommandFailure("A URL is missing after the method \(first). Try: lupine --help", .usage)
        }
        self.method = method
      } else {
        method = nil
      }
      url = try Self.url(words.removeFirst(), defaultScheme: defaultScheme)
      items = try words.map { try RequestItem($0) }
    }

    private static let methods: Set<String> = [
      "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    private static func method(_ word: String) -> HTTPRequest.Method? {
      let isCapital = word.utf8.allSatisfy { (0x41...0x5A).contains($0) } && word.utf8.count > 1
      guard isCapital || methods.contains(word.uppercased()) else { return nil }
      return HTTPRequest.Method(word.uppercased())
    }

    /// Completes a shortened URL: `:8080/x` is on this machine, and a URL without a scheme has the default one.
    ///
    /// - Throws: `CommandFailure` if the URL has a user or a password, which others could read in it.
    static func url(_ text: String, defaultScheme: String = "http") throws -> String {
      var url = text
      if url.hasPrefix("://") {
        url = String(url.dropFirst(3))
      } else if isLocal(url) {
        // `:` alone is port 80, as `:/path` is.
        let rest = url.dropFirst()
        let hasPort = rest.first?.isASCII == true && rest.first?.isNumber == true
        url = "localhost" + (hasPort ? ":" : "") + rest
      }
      if !hasScheme(url) { url = "\(defaultScheme)://\(url)" }
      guard !hasUser(url) else {
        throw CommandFailure(
          "The URL has a user or a password, which others can see. Use --auth; see the manual for files and variables.",
          .usage)
      }
      return url
    }

    /// Whether the text is `:`, and then a port, a path, both or nothing; `::1` is an address.
    private static func isLocal(_ url: String) -> Bool { url.hasPrefix(":") && !url.hasPrefix("::") }

    private static func hasScheme(_ url: String) -> Bool {
      guard let end = url.firstRange(of: "://") else { return false }
      return url[..<end.lowerBound].utf8.allSatisfy {
        (0x61...0x7A).contains($0 | 0x20) || "+.-0123456789".utf8.contains($0)
      }
    }

    private static func hasUser(_ url: String) -> Bool {
      guard let start = url.firstRange(of: "://") else { return false }
      return url[start.upperBound...].prefix { !"/?#".contains($0) }.contains("@")
    }
  }
#endif
