import HTTPTypes

extension ExchangeLoop {
  /// What stands with the request, one attempt at a time.
  struct State {
    var attempt = 1
    /// What led to the current exchange: the request without what was added for this exchange alone.
    private(set) var original: OutgoingRequest?
    /// The body that interceptors were given last, for what it cost where they give it up.
    var body: IncomingBody?
    /// What was given to whom in answer to challenges.
    var authentications: [AuthenticationContext.Asker: AuthenticationState] = Dictionary()
    /// What the proxy said when it opened the current exchange's tunnel.
    var tunnel: CopyOnWrite<HTTPResponse>?
    /// Where the redirects were that have been met.
    var visited: [HTTPURL] = []
    /// What the redirect of the current exchange leads to; decided at its head, so that the sink fits.
    var redirect: Result<OutgoingRequest, LupineError>?
    /// Whether the end of the current exchange has been told.
    var isTold = false

    /// Begins an exchange; see `RequestState.begin`.
    mutating func begin(_ original: OutgoingRequest?) {
      isTold = false
      guard let original else { return }
      self.original = original
      if redirect != nil { redirect = nil }
      if tunnel != nil { tunnel = nil }
    }

    /// Has those who were asked for credentials know of a redirect.
    mutating func follow(from: HTTPURL, to url: HTTPURL) {
      authentications[.origin, default: AuthenticationState(.origin)].follows(from: from, to: url)
      for asker in authentications.keys where asker != .origin { authentications[asker]?.follows(from: from, to: url) }
    }
  }
}
