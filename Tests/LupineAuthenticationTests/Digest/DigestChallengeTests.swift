import LupineCore
import Testing

@testable import LupineAuthentication

@Suite struct DigestChallengeTests {
  @Test(arguments: [
    "Digest", "Digest realm=\"r\"", "Digest nonce=\"n\"", "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-1",
    "Digest realm=\"r\", nonce=\"n\", algorithm=token", "Digest realm=\"r\", nonce=\"n\", qop=\"auth-conf\"",
    "Digest realm=\"r\", nonce=\"n\", qop=\"\", algorithm=SHA-256",
    "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-256",
    "Digest realm=\"r\", nonce=\"n\", algorithm=MD5-sess", "Digest YWJj",
  ])
  func `a challenge that is malformed or offers nothing known is not answered`(text: String) async throws {
    let challenge = try Sample.challenge(text)
    #expect(try await DigestScheme().answer(challenge, with: Sample.mufasa, in: Sample.context()) == nil)
  }

  @Test(arguments: [
    ("auth", "auth"), ("auth-int", "auth-int"), ("auth,auth-int", "auth"), ("auth-int , AUTH", "auth"),
    ("auth-conf,auth-int", "auth-int"),
  ])
  func `of what an answer may protect, the request alone is preferred`(offered: String, chosen: String) async throws {
    let challenge = try Sample.challenge("Digest realm=\"r\", nonce=\"n\", qop=\"\(offered)\"")
    let value = try await DigestScheme().answer(challenge, with: Sample.mufasa, in: Sample.context())
    #expect(Sample.parameters(value)["qop"] == chosen)
  }

  @Test(arguments: ["", " ", ",", " , "])
  func `an empty list of qop counts as a missing one`(offered: String) async throws {
    let without = try await DigestScheme().answer(
      try Sample.challenge("Digest realm=\"r\", nonce=\"n\""), with: Sample.mufasa, in: Sample.context())
    let empty = try await DigestScheme().answer(
      try Sample.challenge("Digest realm=\"r\", nonce=\"n\", qop=\"\(offered)\""), with: Sample.mufasa,
      in: Sample.context())
    let expected = try #require(without)
    #expect(Sample.parameters(empty) == Sample.parameters(expected))
    #expect(Sample.parameters(empty)["qop"] == nil && Sample.parameters(empty)["response"] != nil)
  }

  @Test func `of a repeated parameter the first counts`() throws {
    let challenge = DigestChallenge(
      try Sample.challenge("Digest realm=\"a\", realm=\"b\", nonce=\"n\", nonce=\"m\", qop=\"auth\""))
    #expect(challenge?.realm == "a")
    #expect(challenge?.nonce == "n")
  }

  @Test(arguments: [("true", true), ("TRUE", true), ("false", false), ("1", false)])
  func `the parameter stale means that only the nonce was too old`(stale: String, isRenewal: Bool) throws {
    let challenge = try Sample.challenge("Digest realm=\"r\", nonce=\"n\", stale=\(stale)")
    #expect(DigestScheme().isRenewal(challenge) == isRenewal)
  }
}
