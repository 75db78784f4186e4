import LupineFoundation
import Testing

/// Checks the runner of the cases with cases of its own.
@Suite(.timeLimit(.minutes(1))) struct CaseRunnerTests {
  /// Runs a case with these requests.
  private static func verdict(_ requests: String) async throws -> CaseClient.Verdict {
    let json = """
      {"id": "own", "suite": "own", "kind": "required", "appliesTo": ["private"], "results": {}, "requests": [\(requests)]}
      """
    let test = try JSONDecoder().decode(CacheCase.self, from: Data(json.utf8))
    return try await CaseClient(test: test, isShared: false).run()
  }

  private static func step(
    _ number: Int, _ server: String, _ checks: String, pause: Int = 0, client: String = "[]"
  ) -> String {
    """
    {"number": \(number), "isSetup": false, "client": {"method": "GET", "headers": \(client), "pauseAfterSeconds": \(pause)},
     "server": {"status": 200, \(server)}, "checks": [\(checks)]}
    """
  }

  private static let validators = #""headers": [{"name": "Last-Modified", "secondsFromServerNow": -1000}]"#

  @Test func `a validator is the date that the server has sent, however much later it comes back`() async throws {
    let first = Self.step(1, Self.validators + #", "body": "text""#, "", pause: 500)
    let modified = #"{"name": "Last-Modified", "secondsFromServerNow": -1000}"#
    let second = Self.step(
      2, #""headers": [], "answers304": {"ifModifiedSince": \#(modified)}"#,
      #"{"on": "response", "kind": "status", "isSetup": false, "equals": 200}"#)
    #expect(try await Self.verdict("\(first), \(second)") == .pass)
  }

  @Test(arguments: [(-1_000, true), (-999, false)])
  func `a field that must be a date is compared with that date`(seconds: Int, passes: Bool) async throws {
    let check = """
      {"on": "response", "kind": "header", "isSetup": false, "name": "Last-Modified",
       "equals": {"secondsFromServerNow": \(seconds)}}
      """
    let verdict = try await Self.verdict(Self.step(1, Self.validators, check))
    #expect((verdict == .pass) == passes)
  }

  @Test func `the text of the run does not have the ten bytes that some cases state`() async throws {
    #expect(CaseServer.token.utf8.count != 10)
    let check = #"{"on": "response", "kind": "body", "isSetup": false, "equals": {"isToken": true}}"#
    #expect(try await Self.verdict(Self.step(1, #""headers": []"#, check)) == .pass)
  }
}
