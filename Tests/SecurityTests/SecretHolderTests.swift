import Foundation
import HTTPTypes
import Lupine
import LupineMock
import Testing

/// What carries a secret, by the name of its type; the secret holds the word `hidden`.
@Suite struct SecretHolderTests {
  private static let url = "https://a.example.com/"
  private static let head = HTTPResponse(status: .ok, headerFields: [.setCookie: "hidden", .location: "/?hidden"])

  static let holders: [String: @Sendable () async throws -> Any] = [
    "Credential": { credential },
    "ConnectionCredential": { ConnectionCredential(scheme: .ntlm, credential: credential) },
    "Proxy": { try Proxy("http://u:hidden@proxy.example.com:3128") },
    "ClientCertificate": { ClientCertificate.pkcs12("a.p12", passphrase: "hidden") },
    "BearerToken": { BearerToken("hidden") },
    "AmazonCredential": { AmazonCredential(accessKeyID: "a", secretAccessKey: "hidden", sessionToken: "hidden") },
    "OAuthToken": { OAuthToken(accessToken: "hidden", refreshToken: "hidden") },
    "OAuthGrant": { OAuthGrant.refreshToken("hidden") },
    "OAuthClient": { try OAuthClient(tokenURL: url, identifier: "a", secret: "hidden") },
    "CookiePair": { CookiePair(name: "a", value: "hidden") },
    "Cookie": {
      let jar = CookieJar()
      try jar.set("a=hidden", for: url)
      return try #require(jar.cookies.first)
    },
    "OutgoingRequest": { try request },
    "AuthenticationContext": { AuthenticationContext(request: try request) },
    "RedirectStep": { RedirectStep(request: try request, response: head) },
    "FailedAttempt": { FailedAttempt(request: try request, number: 1, response: head, error: nil) },
    "ReceivedResponse": { ReceivedResponse(request: try request, head: head, data: Data("hidden".utf8)) },
    "Session.Builder": { builder },
    "Session": { try builder.transport(MockTransport()).build() },
    "DataResponse": {
      let (session, _) = try Self.session()
      return await session.request(try request).serializingString().response
    },
    "DownloadResponse": {
      let (session, _) = try Self.session()
      let response = await session.download(try request, to: .temporary).serializingFile().response
      if let file = response.fileURL { try FileManager.default.removeItem(at: file) }
      return response
    },
    "RecordedRequest": {
      let (session, mock) = try Self.session()
      _ = await session.request(try request).serializingString().response
      return try #require(mock.requests.first)
    },
  ]

  private static let credential = Credential(username: "u", password: "hidden")
  private static var request: OutgoingRequest {
    get throws { try OutgoingRequest(url, headers: [.authorization: "hidden", .cookie: "hidden", .secret: "hidden"]) }
  }
  private static let builder = Session.Builder().header(.apiKey, "hidden", to: .anyOrigin)
    .adapter(BearerToken("hidden", to: .anyOrigin))
    .connectionCredential(.ntlm(username: "u", password: "hidden"), to: .anyOrigin)
    .proxy("http://u:hidden@proxy.example.com:3128")

  private static func session() throws -> (session: Session, mock: MockTransport) {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("fine").field(.setCookie, "hidden").field(.secret, "hidden"))
    return (try Session.Builder().transport(mock).secretField(.secret).build(), mock)
  }

  @Test(arguments: holders.keys.sorted())
  func `S39 what carries a secret shows it neither to people nor to a mirror`(name: String) async throws {
    let make = try #require(Self.holders[name])
    let value = try await make()
    var text = "\(value)" + String(reflecting: value)
    dump(value, to: &text)
    #expect(!text.contains("hidden"))
  }
}
