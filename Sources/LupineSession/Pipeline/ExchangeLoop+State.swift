import HTTPTypes
import LupineCore
import LupineSupport

extension ExchangeLoop {
  /// The state of one attempt.
  struct State {
    var attempt: Int
    /// The request of the current exchange, without the fields of this exchange.
    private(set) var original: OutgoingRequest?
    /// Whether the end of the current exchange has been reported.
    var isTold = false
    /// Stored indirectly: most attempts never need it.
    private var rare: CopyOnWrite<Rare>?

    private struct Rare {
      var body: ResponseBody?
      var acceptsLongBody = false
      var authentications: [AuthenticationContext.Recipient: AuthenticationState] = Dictionary()
      var tunnel: HTTPResponse?
      var visited: [HTTPURL] = []
    }

    init(attempt: Int = 1) { self.attempt = attempt }

    /// The last body that interceptors received; its metrics are used if they abandon it.
    var body: ResponseBody? {
      get { rare?.value.body }
      set { change { $0.body = newValue } }
    }
    /// See `FinalResponse.acceptsLongBody`.
    var acceptsLongBody: Bool {
      get { rare?.value.acceptsLongBody ?? false }
      set { change { $0.acceptsLongBody = newValue } }
    }
    /// The authentication state of each server and proxy.
    var authentications: [AuthenticationContext.Recipient: AuthenticationState] {
      get { rare?.value.authentications ?? Dictionary() }
      set { change { $0.authentications = newValue } }
    }
    /// The proxy's response that opened the tunnel of the current exchange.
    var tunnel: HTTPResponse? {
      get { rare?.value.tunnel }
      set { change { $0.tunnel = newValue } }
    }
    /// The URLs of the redirects so far.
    var visited: [HTTPURL] {
      get { rare?.value.visited ?? [] }
      set { change { $0.visited = newValue } }
    }
    /// Whether there is no authentication.
    var isPlain: Bool { rare.map { $0.value.authentications.isEmpty } ?? true }

    private mutating func change(_ change: (inout Rare) -> Void) { rare.change(from: Rare(), change) }

    /// Begins an exchange; see `RequestState.begin`.
    mutating func begin(_ original: OutgoingRequest?) {
      isTold = false
      guard let original else { return }
      self.original = original
      guard rare != nil else { return }
      tunnel = nil
    }

    /// Reports a redirect to the authentication states.
    mutating func follow(from: HTTPURL, to url: HTTPURL) {
      authentications[.origin, default: AuthenticationState(.origin)].follows(from: from, to: url)
      for recipient in authentications.keys where recipient != .origin {
        authentications[recipient]?.follows(from: from, to: url)
      }
    }

    /// Resets the visited URLs and the change of origin when an interceptor sends the request again.
    mutating func comeBack() {
      guard rare != nil else { return }
      visited = []
      authentications[.origin]?.comesBack()
    }
  }
}
