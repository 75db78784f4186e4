import HTTPTypes

extension ExchangeLoop {
  /// What stands with the request, one attempt at a time.
  struct State {
    var attempt = 1
    /// The current exchange's, and the same without what was added for this exchange alone.
    var request: OutgoingRequest?
    var original: OutgoingRequest?
    var control: TransferControl?
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
    private(set) var isTold = false

    /// Begins an exchange; false where another is still under way, which must be ended first.
    mutating func begin(_ control: TransferControl, _ request: OutgoingRequest, _ original: OutgoingRequest) -> Bool {
      guard self.control == nil else { return false }
      self.request = request
      self.original = original
      self.control = control
      isTold = false
      if redirect != nil { redirect = nil }
      if tunnel != nil { tunnel = nil }
      return true
    }

    /// Whether the end of this exchange is to be told: once, and while it is the current one.
    mutating func tells(_ control: TransferControl?) -> Bool {
      guard self.control === control, !isTold else { return false }
      isTold = true
      return true
    }

    /// Takes the life of a body that an interceptor made in the place of the exchange's.
    mutating func replace(with control: TransferControl) {
      self.control = control
      isTold = false
    }
  }
}
