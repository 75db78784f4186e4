import HTTPTypes
import LupineCore
import LupineFoundation

extension ConformanceKit {
  /// Checks of proxies that forward requests or open tunnels (RFC 9110 sections 7.3.2 and 9.3.6).
  static let proxyChecks: [ConformanceCheck] = [forwarded, forwardedChallenge, refusedTunnel, keptBody]

  private static let proof = "Basic dTpw"

  /// Settings with the peer as the proxy, which alone must receive the credential.
  private static func throughPeer(_ stage: ConformanceStage) throws -> StageSettings {
    var settings = StageSettings()
    settings.connectionKey.proxy = try Proxy(try stage.peer.url)
    settings.proxyAuthorization = proof
    return settings
  }

  private static func request(
    _ url: String, method: HTTPRequest.Method = .get, body: RequestBody = .none
  ) throws -> OutgoingRequest {
    OutgoingRequest(url: try HTTPURL(url), method: method, headers: [.acceptLanguage: "la"], body: body)
  }

  private static func challenge() -> PeerReply {
    .text("who?", status: 407, fields: ["Proxy-Authenticate": "Basic realm=x", "Content-Type": "text/plain"])
  }

  private static let forwarded = ConformanceCheck(
    "a forwarded request carries the fields for its proxy", needs: [.proxies, .networking]
  ) { stage in
    try stage.play { _ in .text("ok") }
    _ = try await stage.fetch(request("http://a.example.com/b?c"), throughPeer(stage))
    let seen = try stage.peer.requests[0]
    try stage.expect(seen.target, "http://a.example.com/b?c", "The target")
    try stage.expect(seen.fields["Host"], "a.example.com", "Host")
    try stage.expect(seen.fields["Proxy-Authorization"], proof, "Proxy-Authorization")
    try stage.expect(seen.fields["Accept-Language"], "la", "The request's own field")
    var settings = try throughPeer(stage)
    settings.proxyAuthorization = nil
    _ = try await stage.fetch(request("http://a.example.com/next"), settings)
    try stage.expect(try stage.peer.requests[1].fields["Proxy-Authorization"], nil, "The next Proxy-Authorization")
  }

  private static let forwardedChallenge = ConformanceCheck(
    "a 407 of a forwarding proxy is reported as the proxy's response", needs: [.proxies, .networking]
  ) { stage in
    try stage.play { _ in challenge() }
    let response = try await stage.fetch(request("http://a.example.com/"), throughPeer(stage))
    try stage.expect(response.status, 407, "The status")
    try stage.expect(response.source, .proxy, "Who answered")
    try stage.expect(response.head.headerFields[.proxyAuthenticate], "Basic realm=x", "Proxy-Authenticate")
  }

  private static let refusedTunnel = ConformanceCheck(
    "a refused tunnel is reported as the proxy's response, without content", needs: [.proxies, .networking, .tls],
    about: "The request itself is not sent, because its fields are for the server."
  ) { stage in
    try stage.play { _ in challenge() }
    let response = try await stage.fetch(request("https://a.example.com/b?c"), throughPeer(stage))
    try stage.expect(response.status, 407, "The status")
    try stage.expect(response.source, .proxy, "Who answered")
    try stage.expect(response.text, "", "The content")
    try stage.expect(response.head.headerFields[.proxyAuthenticate], "Basic realm=x", "Proxy-Authenticate")
    let seen = try stage.peer.requests
    try stage.expect(seen.map(\.method), ["CONNECT"], "The methods that arrived")
    try stage.expect(seen[0].target, "a.example.com:443", "The target")
    try stage.expect(seen[0].fields["Proxy-Authorization"], proof, "Proxy-Authorization")
    try stage.expect(seen[0].fields["Accept-Language"], nil, "The request's own field")
  }

  private static let keptBody = ConformanceCheck(
    "a one-shot body is not opened before the tunnel is open", needs: [.proxies, .networking, .streamedUploads, .tls]
  ) { stage in
    try stage.play { _ in challenge() }
    let body = RequestBody.oneShot(StepSequence([.text("once")]))
    let response = try await stage.fetch(
      request("https://a.example.com/", method: .post, body: body), throughPeer(stage))
    try stage.expect(response.status, 407, "The status")
    // A body that has been opened already throws here.
    try body.makeReader {}.cancel()
  }
}
