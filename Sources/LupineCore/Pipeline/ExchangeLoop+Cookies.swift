import HTTPTypes
import Synchronization

extension ExchangeLoop {
  /// The request with the cookies that the session's store has for its URL.
  ///
  /// A `Cookie` field that the request brings stays in front, and wins where a name is in both.
  func withCookies(_ request: OutgoingRequest) -> OutgoingRequest {
    guard let store = session.configuration.cookieStore else { return request }
    let own = request.headers[values: .cookie].joined(separator: "; ")
    let taken = Set(
      own.split(separator: ";").map { pair in
        String(pair.prefix { $0 != "=" }.drop { $0 == " " })
      })
    let pairs = store.cookies(for: request.url, now: session.configuration.now()).filter { !taken.contains($0.name) }
    guard !pairs.isEmpty else { return request }
    let added = pairs.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
    var request = request
    request.headers[.cookie] = ((own.isEmpty ? [] : [own]) + added).joined(separator: "; ")
    return request
  }

  /// Keeps what a response says for later: cookies, and what an authentication scheme learns.
  func learn(from response: TransportResponse, to request: OutgoingRequest) {
    guard response.source == .origin else { return }
    let configuration = session.configuration
    if let store = configuration.cookieStore {
      let fields = response.head.headerFields[values: .setCookie]
      if !fields.isEmpty { store.store(fields, from: request.url, now: configuration.now()) }
    }
    if let current = state.withLock({ $0.course.current }) {
      current.scheme.receive(response.head, with: current.credential, in: authenticationContext(request))
    }
  }
}
