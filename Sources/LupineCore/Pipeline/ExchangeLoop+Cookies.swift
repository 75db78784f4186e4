import HTTPTypes
import Synchronization

extension ExchangeLoop {
  /// The request with the cookies that the session's store has for its URL.
  ///
  /// A `Cookie` field that the request brings stays in front, and wins where a name is in both. All of them go in one
  /// field (RFC 6265 section 5.4), which swift-http-types would take apart.
  func withCookies(_ request: OutgoingRequest) -> OutgoingRequest {
    if !session.hasCookieStore, !request.findings.contains(.cookie) { return request }
    let values = request.headers[values: .cookie]
    let own = values.joined(separator: "; ")
    guard let store = session.configuration.cookieStore else {
      return values.count > 1 ? Self.carrying(own, request) : request
    }
    let taken = Set(
      own.split(separator: ";").map { pair in
        String(pair.prefix { $0 != "=" }.drop { $0 == " " })
      })
    let pairs = store.cookies(for: request.url, now: session.configuration.now()).filter { !taken.contains($0.name) }
    guard !pairs.isEmpty || values.count > 1 else { return request }
    let added = pairs.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
    return Self.carrying(((own.isEmpty ? [] : [own]) + added).joined(separator: "; "), request)
  }

  private static func carrying(_ cookies: String, _ request: OutgoingRequest) -> OutgoingRequest {
    var request = request
    request.headers[values: .cookie] = [cookies]
    request.lookAtFields()
    return request
  }

  /// Keeps the cookies of a response.
  func keepCookies(of response: TransportResponse, to request: OutgoingRequest) {
    guard session.hasCookieStore, response.source == .origin, let store = configuration.cookieStore else { return }
    let fields = response.head.headerFields[values: .setCookie]
    if !fields.isEmpty { store.store(fields, from: request.url, now: configuration.now()) }
  }
}
