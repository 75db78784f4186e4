import Testing

@testable import LupineCore

@Suite struct AuthenticationChallengeTests {
  private static func read(_ value: String) -> [String] {
    AuthenticationChallenge.parse([value]).map { challenge in
      let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return ([challenge.scheme] + parameters + (challenge.token.map { ["token " + $0] } ?? [])).joined(separator: "|")
    }
  }

  @Test(arguments: [
    ("Basic realm=\"staff\"", ["Basic|realm=staff"]),
    ("Basic", ["Basic"]),
    ("Negotiate", ["Negotiate"]),
    ("Negotiate YII=", ["Negotiate|token YII="]),
    ("NTLM, Basic realm=x", ["NTLM", "Basic|realm=x"]),
    ("Basic realm=x, charset=\"UTF-8\", Bearer", ["Basic|charset=UTF-8|realm=x", "Bearer"]),
    (
      "Digest realm=\"a, b\", nonce=\"c\\\"d\", qop=\"auth,auth-int\"",
      ["Digest|nonce=c\"d|qop=auth,auth-int|realm=a, b"]
    ),
    (
      "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
      ["Newauth|realm=apps|title=Login to \"apps\"|type=1", "Basic|realm=simple"]
    ),
    ("Basic REALM=a, realm=b", ["Basic|realm=a"]),
    ("Basic realm = \"spaced\"", ["Basic|realm=spaced"]),
    (", , Basic realm=x , ,", ["Basic|realm=x"]),
    ("Bearer realm=x, Basic YWJj==", ["Bearer|realm=x", "Basic|token YWJj=="]),
    ("", []),
    ("Basic realm=\"open", []),
    ("Basic realm=", ["Basic|token realm="]),
    ("=", []),
  ])
  func `a field's challenges, as RFC 9110 section 11.6.1 has them`(value: String, expected: [String]) {
    #expect(Self.read(value) == expected)
  }

  @Test func `several fields are one list`() {
    #expect(AuthenticationChallenge.parse(["NTLM", "Basic realm=x"]).map(\.scheme) == ["NTLM", "Basic"])
  }

  @Test(arguments: ["@", ";", ",", "\t", "%", "{", "=", "\"", "\\", " ", "/", "a,", "a=", "a=\"", "a=b,", "a ", "a /"])
  func `each byte of a challenge is looked at a fixed number of times`(unit: String) {
    for length in [4 << 10, 32 << 10] {
      for start in ["", "Basic ", "Basic realm=\"", "Basic a=b, "] {
        let field = start + String(repeating: unit, count: length / unit.utf8.count)
        var parser = ChallengeParser(field)
        _ = parser.parse()
        #expect(parser.steps > 0)
        #expect(parser.steps <= 16 * field.utf8.count + 16)
      }
    }
  }
}
