import HTTPTypes
import LupineCore
import Synchronization

extension Attempt {
  /// Adds the cookies that the session's store has for the request's URL.
  ///
  /// A `Cookie` field of the request comes first, and has precedence if both contain the same name. All cookies go into
  /// one field (RFC 6265 section 5.4), because swift-http-types would split them.
  func addCookies(to request: inout OutgoingRequest) {
    if !session.hasCookieStore, !request.has(.cookie) { return }
    let values = request.headers[values: .cookie]
    let own = values.joined(separator: "; ")
    guard let store = session.configuration.cookieStore else {
      if values.count > 1 { Self.put(own, into: &request) }
      return
    }
    let taken = Set(
      own.split(separator: ";").map { pair in
        String(pair.prefix { $0 != "=" }.drop { $0 == " " })
      })
    let pairs = store.cookies(for: request.url, now: session.configuration.now()).filter { !taken.contains($0.name) }
    guard !pairs.isEmpty || values.count > 1 else { return }
    let added = pairs.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
    Self.put(((own.isEmpty ? [] : [own]) + added).joined(separator: "; "), into: &request)
  }

  private static func put(_ cookies: String, into request: inout OutgoingRequest) {
    request.headers[values: .cookie] = [cookies]
  }

  /// Stores the cookies of a response.
  func keepCookies(of response: TransportResponse, to request: OutgoingRequest) {
    guard session.hasCookieStore, response.source == .origin, let store = configuration.cookieStore else { return }
    let fields = response.head.headerFields[values: .setCookie]
    if !fields.isEmpty { store.store(fields, from: request.url, now: configuration.now()) }
  }
}

extension Attempt {
  /// Removes `Proxy-Authorization` if no proxy reads the request's fields, because the server would receive it.
  ///
  /// - Parameter proxyAuthorization: the value that replaces it for the proxy.
  func dropForeignCredentials(of request: inout OutgoingRequest, _ proxyAuthorization: String?) {
    guard request.has(.proxyAuthorization) else { return }
    let isForwarded = session.passage(to: request.url)?.isForwarded == true
    if isForwarded, proxyAuthorization == nil { return }
    request.headers[.proxyAuthorization] = nil
    if !isForwarded {
      warn(
        "Proxy-Authorization was removed, because no proxy would read it; set the credential with the proxy instead.")
    }
  }
}
