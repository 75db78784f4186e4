import Foundation
import HTTPTypes
import Lupine
import LupineMock
import Testing

/// Values that contain a secret, by the name of their type; each secret contains the word `hiddenKq7vXo2mZt`.
@Suite struct SecretHolderTests {
  private static let url = "https://a.example.com/"
  private static let secretURL = url + "?access_token=hiddenKq7vXo2mZt#access_token=hiddenKq7vXo2mZt"
  private static let head = HTTPResponse(
    status: .ok, headerFields: [.setCookie: "hiddenKq7vXo2mZt", .location: "/?hiddenKq7vXo2mZt"])

  static let holders: [String: @Sendable () async throws -> Any] = [
    "Credential": { credential },
    "ConnectionCredential": { ConnectionCredential(scheme: .ntlm, credential: credential) },
    "Proxy": { try Proxy("http://u:hiddenKq7vXo2mZt@proxy.example.com:3128") },
    "ClientCertificate": { ClientCertificate.pkcs12("a.p12", passphrase: "hiddenKq7vXo2mZt") },
    "BearerToken": { BearerToken("hiddenKq7vXo2mZt") },
    "AmazonCredential": {
      AmazonCredential(accessKeyID: "a", secretAccessKey: "hiddenKq7vXo2mZt", sessionToken: "hiddenKq7vXo2mZt")
    },
    "OAuthToken": { OAuthToken(accessToken: "hiddenKq7vXo2mZt", refreshToken: "hiddenKq7vXo2mZt") },
    "OAuthGrant": { OAuthGrant.refreshToken("hiddenKq7vXo2mZt") },
    "OAuthClient": { try OAuthClient(tokenURL: url, identifier: "a", secret: "hiddenKq7vXo2mZt") },
    "CookiePair": { CookiePair(name: "a", value: "hiddenKq7vXo2mZt") },
    "Cookie": {
      let jar = CookieJar()
      try jar.set("a=hiddenKq7vXo2mZt", for: url)
      return try #require(jar.cookies.first)
    },
    "OutgoingRequest": { try request },
    "AuthenticationContext": { AuthenticationContext(request: try request) },
    "RedirectStep": { RedirectStep(request: try request, response: head) },
    "AttemptOutcome": { AttemptOutcome(request: try request, number: 1, response: head, error: nil) },
    "ReceivedResponse": { ReceivedResponse(request: try request, head: head, data: Data("hiddenKq7vXo2mZt".utf8)) },
    "Session.Builder": { builder },
    "Session": { try builder.transport(MockTransport()).build() },
    "DataRequest": { try session().session.request(try request) },
    "DownloadRequest": { try session().session.download(try request) },
    "DataStreamRequest": { try session().session.streamRequest(try request) },
    "RequestSummary": { try request.summary },
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

  private static let credential = Credential(username: "u", password: "hiddenKq7vXo2mZt")
  private static var request: OutgoingRequest {
    get throws {
      try OutgoingRequest(
        secretURL,
        headers: [.authorization: "hiddenKq7vXo2mZt", .cookie: "hiddenKq7vXo2mZt", .secret: "hiddenKq7vXo2mZt"])
    }
  }
  private static let builder = Session.Builder().header(.apiKey, "hiddenKq7vXo2mZt", to: .anyOrigin)
    .adapter(BearerToken("hiddenKq7vXo2mZt", to: .anyOrigin))
    .connectionCredential(.ntlm(username: "u", password: "hiddenKq7vXo2mZt"), to: .anyOrigin)
    .proxy("http://u:hiddenKq7vXo2mZt@proxy.example.com:3128")

  private static func session() throws -> (session: Session, mock: MockTransport) {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("fine").field(.setCookie, "hiddenKq7vXo2mZt").field(.secret, "hiddenKq7vXo2mZt"))
    return (try Session.Builder().transport(mock).secretField(.secret).build(), mock)
  }

  @Test(arguments: holders.keys.sorted())
  func `a value with a secret shows it neither in a description nor in a mirror`(name: String) async throws {
    let make = try #require(Self.holders[name])
    let value = try await make()
    var text = "\(value)" + String(reflecting: value)
    dump(value, to: &text)
    #expect(!text.contains("hiddenKq7vXo2mZt"))
  }
}
