import LupineCore
import Testing

@testable import LupineAuthentication

/// The examples of RFC 7616 section 3.9.1, and variants whose expected values come from Python's hashlib.
@Suite struct DigestAnswerTests {
  private static func turn(
    _ algorithm: String, qop: String = "auth", extra: String = ""
  ) throws -> DigestAnswer {
    let text = """
      Digest realm="http-auth@example.org", qop="\(qop)", algorithm=\(algorithm), nonce="\(Sample.nonce)", \
      opaque="\(Sample.opaque)"\(extra)
      """
    let challenge = try #require(DigestChallenge(try Sample.challenge(text)))
    return DigestAnswer(challenge: challenge, nonce: Sample.nonce, clientNonce: Sample.clientNonce, count: 1)
  }

  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ("SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
    ("MD5-sess", "e783283f46242139c486a698fec7211d"),
    ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ("SHA-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
  ])
  func `the answer with each algorithm`(algorithm: String, response: String) throws {
    let value = try Self.turn(algorithm)
      .value(Sample.mufasa, method: "GET", target: "/dir/index.html", bodyHash: nil)
    #expect(
      value == """
        Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
        nonce="\(Sample.nonce)", nc=00000001, cnonce="\(Sample.clientNonce)", qop=auth, response="\(response)", \
        opaque="\(Sample.opaque)"
        """)
  }

  @Test(arguments: [
    ("MD5", "23fef4d928a3e9fa6e0b0de51288c997"),
    ("SHA-256", "c98b95dbdb463c4483e324bced57d591946a6f84098142757b1333c52c47d62e"),
    ("SHA-512-256", "94b85dbcbbb97c3bda2751c7e160fe6604eccca585f3cbff75d2a23f0085ed70"),
    ("MD5-sess", "1f00ae1cf4fdcb90e9cfc3b1e22118b7"),
    ("SHA-256-sess", "b097196f9caf274775b76c5e5ad2221bdf75111e71e6598a385b951f12032e65"),
    ("SHA-512-256-sess", "6188aa2d1c4d7adbdd32cdee6db3f0f8c107c0e7a45887aecb01647b05eda860"),
  ])
  func `the answer that protects the body as well`(algorithm: String, response: String) async throws {
    let turn = try Self.turn(algorithm, qop: "auth-int")
    let hash = try await BodyHash.hexadecimal(.text("hello"), turn.challenge.algorithm.function)
    let value = turn.value(Sample.mufasa, method: "POST", target: "/dir/index.html", bodyHash: hash)
    let parameters = Sample.parameters(value)
    #expect(parameters["qop"] == "auth-int")
    #expect(parameters["response"] == response)
  }

  @Test func `a hashed user name and UTF-8`() throws {
    let challenge = try Sample.challenge(
      """
      Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, charset=UTF-8, userhash=true, \
      nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK"
      """)
    let turn = DigestAnswer(
      challenge: try #require(DigestChallenge(challenge)), nonce: "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
      clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm", count: 1)
    let credential = Credential(username: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?")
    let parameters = Sample.parameters(
      turn.value(credential, method: "GET", target: "/doe.json", bodyHash: nil))
    #expect(parameters["userhash"] == "true")
    #expect(parameters["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
    #expect(parameters["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
  }

  @Test func `a user name outside ASCII is sent in the extended notation`() throws {
    let credential = Credential(username: "J\u{E4}s\u{F8}n Doe", password: "p")
    let value = try Self.turn("SHA-256").value(credential, method: "GET", target: "/", bodyHash: nil)
    #expect(value?.hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm=") == true)
  }

  @Test func `quotes and backslashes are escaped`() throws {
    let credential = Credential(username: "a\"b\\c", password: "p")
    let value = try Self.turn("MD5").value(credential, method: "GET", target: "/", bodyHash: nil)
    #expect(value?.hasPrefix(#"Digest username="a\"b\\c", realm="#) == true)
    #expect(Sample.parameters(value)["username"] == "a\"b\\c")
  }

  @Test func `a server of RFC 2069's time gets no nonce of ours`() throws {
    let challenge = try Sample.challenge(
      "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"")
    let turn = DigestAnswer(
      challenge: try #require(DigestChallenge(challenge)), nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093",
      clientNonce: "unused", count: 1)
    let value = turn.value(
      Credential(username: "Mufasa", password: "CircleOfLife"), method: "GET", target: "/dir/index.html", bodyHash: nil)
    #expect(Sample.parameters(value)["response"] == "1949323746fe6a43ef61f9606e7febea")
    #expect(value?.contains("cnonce") == false)
    #expect(value?.contains("nc=") == false)
  }
}
