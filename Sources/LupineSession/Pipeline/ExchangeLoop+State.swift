import HTTPTypes
import LupineCore
import LupineSupport

extension ExchangeLoop {
  /// What stands with the request, one attempt at a time.
  struct State {
    var attempt: Int
    /// What led to the current exchange: the request without what was added for this exchange alone.
    private(set) var original: OutgoingRequest?
    /// Whether the end of the current exchange has been told.
    var isTold = false
    /// Behind one pointer that most attempts have not, which make one exchange and nothing more.
    private var rare: CopyOnWrite<Rare>?

    private struct Rare {
      var body: ResponseBody?
      var authentications: [AuthenticationContext.Recipient: AuthenticationState] = Dictionary()
      var tunnel: HTTPResponse?
      var visited: [HTTPURL] = []
      var redirect: Result<OutgoingRequest, LupineError>?
    }

    init(attempt: Int = 1) { self.attempt = attempt }

    /// The body that interceptors were given last, for what it cost where they give it up.
    var body: ResponseBody? {
      get { rare?.value.body }
      set { change { $0.body = newValue } }
    }
    /// What was given to whom in answer to challenges.
    var authentications: [AuthenticationContext.Recipient: AuthenticationState] {
      get { rare?.value.authentications ?? Dictionary() }
      set { change { $0.authentications = newValue } }
    }
    /// What the proxy said when it opened the current exchange's tunnel.
    var tunnel: HTTPResponse? {
      get { rare?.value.tunnel }
      set { change { $0.tunnel = newValue } }
    }
    /// Where the redirects were that have been met.
    var visited: [HTTPURL] {
      get { rare?.value.visited ?? [] }
      set { change { $0.visited = newValue } }
    }
    /// What the redirect of the current exchange leads to; decided at its head, so that the sink fits.
    var redirect: Result<OutgoingRequest, LupineError>? {
      get { rare?.value.redirect }
      set { change { $0.redirect = newValue } }
    }
    /// Whether the current exchange's response leads nowhere, and nobody is told of it.
    var isPlain: Bool {
      rare.map { $0.value.redirect == nil && $0.value.authentications.isEmpty } ?? true
    }

    private mutating func change(_ change: (inout Rare) -> Void) { rare.change(from: Rare(), change) }

    /// Begins an exchange; see `RequestState.begin`.
    mutating func begin(_ original: OutgoingRequest?) {
      isTold = false
      guard let original else { return }
      self.original = original
      guard rare != nil else { return }
      redirect = nil
      tunnel = nil
    }

    /// Has those who were asked for credentials know of a redirect.
    mutating func follow(from: HTTPURL, to url: HTTPURL) {
      authentications[.origin, default: AuthenticationState(.origin)].follows(from: from, to: url)
      for recipient in authentications.keys where recipient != .origin {
        authentications[recipient]?.follows(from: from, to: url)
      }
    }

    /// Forgets the way that was gone.
    mutating func comeBack() {
      guard rare != nil else { return }
      visited = []
      authentications[.origin]?.comesBack()
    }
  }
}
