import FoundationEssentials
import HTTPTypes
import LupineCoding
import LupineCore
import LupineMock
import Testing

@Suite struct RequestConditionTests {
  private static func request(
    _ query: String = "", _ headers: HTTPFields = [:], _ body: String = ""
  ) -> Result<RequestSnapshot, LupineError> {
    Result { () throws(LupineError) in
      RequestSnapshot(
        method: .post, url: try HTTPURL("https://example.com/" + query), headers: headers, body: Data(body.utf8))
    }
  }

  @Test(
    arguments: [
      (.query("page", "2"), request("?page=2&x=1"), nil),
      (.query("page", "2"), request("?page=3"), "query page: expected 2, got 3"),
      (.query("page", "2"), request(), "query page: expected 2, got no such item"),
      (.query("q", "a b"), request("?q=a+b"), nil),
      (.query("flag", nil), request("?flag"), nil),
      (.query("flag", nil), request("?flag=1"), "query flag: expected no value, got 1"),
      (.query(exactly: ["a": "1", "b": "2"]), request("?b=2&a=1"), nil),
      (.query(exactly: ["a": "1"]), request("?a=1&b=2"), "query b: expected no such item, got b=2"),
      (.field(.accept, "text/html"), request("", [.accept: "text/html"]), nil),
      (.field(.accept, "text/html"), request("", [.accept: "*/*"]), "field Accept: expected text/html, got */*"),
      (.field(.accept), request("", [.accept: "*/*"]), nil),
      (.field(.accept), request(), "field Accept: expected any value, got no such field"),
      (.noField(.cookie), request(), nil),
      (
        .noField(.cookie), request("", [.cookie: "sid=31d4d96e407aad42"]),
        "field Cookie: expected no such field, got a secret value, which is not shown"
      ),
      (
        .field(.authorization, "Bearer one"), request("", [.authorization: "Bearer two"]),
        "field Authorization: expected a secret value, which is not shown, got a secret value, which is not shown"
      ),
      (.body("hi"), request("", [:], "hi"), nil),
      (.body("hi"), request("", [:], "ho"), #"body: expected "hi", got "ho""#),
      (.body(Data([0, 1])), request(), "body: expected 2 bytes, got no bytes"),
      (.body(form: ["a": "1 2", "b": ""]), request("", [:], "b=&a=1+2"), nil),
      (.body(form: ["a": "1"]), request("", [:], "a=2"), "body form a: expected 1, got 2"),
      (.body(form: ["a": "1"]), request("", [:], "a=1&b=2"), "body form b: expected no such item, got b=2"),
      (.body(json: ["a": 1, "b": [true]]), request("", [:], #"{ "b": [true], "a": 1.0 }"#), nil),
      (.body(json: ["a": 1]), request("", [:], #"{"a":2}"#), "body $.a: expected 1, got 2"),
      (.body(json: ["a": 1]), request("", [:], #"{"a":1,"b":2}"#), "body $.b: expected no such value, got 2"),
      (.body(json: ["a": [1, 2]]), request("", [:], #"{"a":[1,3]}"#), "body $.a[1]: expected 2, got 3"),
      (.body(json: ["a": [1, 2]]), request("", [:], #"{"a":[1]}"#), "body $.a: expected 2 elements, got 1"),
      (.body(json: ["a": 1]), request("", [:], "a=1"), #"body: expected JSON, got "a=1""#),
      (.body(jsonPath: "user.tags[0]", "x"), request("", [:], #"{"user":{"tags":["x","y"]}}"#), nil),
      (
        .body(jsonPath: "user.tags[2]", "x"), request("", [:], #"{"user":{"tags":["x","y"]}}"#),
        #"body $.user.tags[2]: expected "x", got no such value"#
      ),
      (.body(jsonPath: "$.user.tags[0]", "x"), request("", [:], #"{"user":{"tags":["x","y"]}}"#), nil),
      (.body(jsonPath: "$[1].a", "x"), request("", [:], #"[0,{"a":"x"}]"#), nil),
      (.body(jsonPath: "[0]", 0), request("", [:], "[0]"), nil),
      (.body(jsonPath: "$", 1), request("", [:], "1"), nil),
      (.body(jsonPath: "$id", 1), request("", [:], #"{"$id":1}"#), nil),
      (.body(jsonPath: "$.user", 1), request("", [:], "{}"), "body $.user: expected 1, got no such value"),
      (.matching("a long body") { $0.body.count > 3 }, request("", [:], "long"), nil),
      (.matching("a long body") { $0.body.count > 3 }, request(), "a long body: not met"),
    ] as [(RequestCondition, Result<RequestSnapshot, LupineError>, String?)])
  func `a condition is met, or reports what differs`(
    condition: RequestCondition, request: Result<RequestSnapshot, LupineError>, difference: String?
  ) throws {
    #expect(try condition.difference(from: request.get()) == difference)
  }

  @Test func `a stub answers only what meets its conditions`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", where: [.body(json: ["name": "mattt"]), .field(.accept, "*/*")], .status(.created))
    var exchange = Exchange(method: .post, headers: [.accept: "*/*"], body: .text(#"{"name":"mattt"}"#))
    #expect(try await exchange.response(from: mock).head.status == .created)
    exchange.body = .text(#"{"name":"other"}"#)
    let error = await exchange.failure(from: mock)
    #expect(error?.kind == .unmatchedRequest)
    #expect(error?.message.contains(#"body $.name: expected "mattt", got "other""#) == true)
  }

  @Test func `another module's matcher is found like the mock's own`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", where: [.evenLength], .text("even"))
    mock.stub(.get, "/{any...}", .text("odd"))
    #expect(try await mock.get("https://example.com/a") == "even")
    #expect(try await mock.get("https://example.com/ab") == "odd")
  }
}

private struct EvenLength: RequestMatcher {
  var expectation: String { "a path of even length" }
  func difference(from request: RequestSnapshot) -> String? {
    request.url.path.count.isMultiple(of: 2) ? nil : "path: its length is odd"
  }
}

extension RequestCondition {
  fileprivate static var evenLength: RequestCondition { RequestCondition(EvenLength()) }
}
