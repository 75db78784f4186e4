// Authentication: passwords, a closure that answers challenges, tokens, OAuth, signatures and Negotiate.

import Lupine
import LupineMock

// snippet.hide
let mock = MockTransport()
mock.stub(.get, "/{any...}", .challenge("Digest realm=\"staff\", nonce=\"7ypf\", qop=\"auth\", algorithm=SHA-256"))
mock.stub(.get, "/{any...}", where: [.field(.authorization)], .text("welcome"))
mock.stub(.get, "https://intranet.example.com/home", .text("welcome home"))
let session = try Session.Builder().transport(mock).install(.authentication).build()
mock.stub(.post, "https://auth.example.com/token", .text("{\"access_token\": \"t\", \"token_type\": \"bearer\"}"))
mock.stub(.get, "https://api.example.com/invoices", .text("signed"))
mock.stub(
  .post, "https://api.example.com/reports",
  .text("thanks").field("Content-Digest", "sha-256=:pqJynL9rytzld6Mff3YgHVzmPFfWxTMYAA1ncUuzVO8=:"))
// The key of RFC 9421 appendix B.1.4.
let privateKey = """
  -----BEGIN PRIVATE KEY-----
  MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
  -----END PRIVATE KEY-----
  """
let publicKeyOfServer = """
  -----BEGIN PUBLIC KEY-----
  MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
  -----END PUBLIC KEY-----
  """
let (accessKeyID, secretAccessKey, clientSecret, apiToken) = ("AKIDEXAMPLE", "secret", "secret", "t")
func askForPassword(for url: HTTPURL) async -> String? { url.host == "intranet.example.com" ? "Circle of Life" : nil }
// snippet.show
let page = try await session.request("https://intranet.example.com/")
  .authenticate(username: "mufasa", password: "Circle of Life")
  .validate().serializingString().value
print(page)

let asked = try await session.request("https://intranet.example.com/reports")
  .onChallenge { challenge in
    guard let password = await askForPassword(for: challenge.url) else { return nil }
    return Credential(username: "mufasa", password: password)
  }
  .validate().serializingString().value
print(asked)

let items = try Session.Builder()
  .transport(mock)
  .baseURL("https://api.example.com")
  .adapter(BearerToken(apiToken))
  .build()
print(try await items.request("items").serializingString().value)

var report = try OutgoingRequest("https://intranet.example.com/report")
report.headers.append(.authorization(username: "mufasa", password: "Circle of Life"))
print(try await session.request(report).validate().serializingString().value)

let client = try OAuthClient(
  tokenURL: "https://auth.example.com/token", identifier: "reporter", secret: clientSecret)
let service = try Session.Builder()
  .transport(mock)
  .baseURL("https://api.example.com")
  .install(.oauth(client, requesting: "reports.read"))
  .build()
print(try await service.request("reports").serializingString().value)

let storage = try Session.Builder()
  .transport(mock)
  .baseURL("https://examplebucket.s3.eu-central-1.amazonaws.com")
  .install(
    AmazonSignature(
      service: "s3", region: "eu-central-1",
      credential: AmazonCredential(accessKeyID: accessKeyID, secretAccessKey: secretAccessKey))
  )
  .build()
print(try await storage.request("report.pdf").serializingString().value)

let signing = try SignatureKey(id: "reporter-2026", algorithm: .ed25519, privateKey: privateKey)
let signed = try Session.Builder()
  .transport(mock)
  .baseURL("https://api.example.com")
  .install(MessageSignature(key: signing))
  .build()
print(try await signed.request("invoices").serializingString().value)

let digests = try Session.Builder()
  .transport(mock)
  .baseURL("https://api.example.com")
  .install(.contentDigest(responses: .required))
  .build()
print(try await digests.upload(.text("a report"), to: "reports").validate().serializingString().value)

let serverKey = try SignatureKey(id: "server", algorithm: .ed25519, publicKey: publicKeyOfServer)
let verified = try Session.Builder()
  .transport(mock)
  .install(
    ResponseSignature(covering: [.status, "content-digest", .path.ofRequest]) { id, url in
      url.host == "api.example.com" && id == serverKey.id ? serverKey : nil
    }
  )
  .build()
// snippet.hide
let unsigned = await verified.request("https://api.example.com/invoices").serializingString().response
print(unsigned.error?.kind == .serverNotAuthenticated)
// snippet.show

let intranet = try Session.Builder()
  .transport(mock)
  .baseURL("https://intranet.example.com")
  .install(.negotiate())  // or .ntlm(username: "DOMAIN\\name", password: …)
  .build()
print(try await intranet.request("home").serializingString().value)
