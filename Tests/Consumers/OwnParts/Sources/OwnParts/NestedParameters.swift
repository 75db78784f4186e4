import Foundation
import Lupine
import LupineMock

/// A type of the program that may stand in nested literals.
struct Label: Encodable, ParameterValue {
  var name: String
}

/// Sends nested literals that contain variables, and compares what arrives.
func checkNestedParameters() async throws {
  let mock = MockTransport()
  mock.stub([.get, .post], "/issues", .json(["accepted": true]))
  let session = try Session.Builder().transport(mock).baseURL("https://example.com").build()
  let (title, login, id, tags) = ("a bug", "ada", 7, ["x", "y"])
  _ = try await session.request(
    "issues", method: .post,
    parameters: [
      "title": title, "assignee": ["login": login, "id": id, "team": nil], "labels": [Label(name: "bug")],
      "filter": ["tags": tags.parameterValue, "sort": ["created", ["by": 1]]], "meta": ["a": "b"],
    ], encoder: .json
  ).serializingData().value
  let expected: JSONValue = [
    "title": "a bug", "assignee": ["login": "ada", "id": 7, "team": nil], "labels": [["name": "bug"]],
    "filter": ["tags": ["x", "y"], "sort": ["created", ["by": 1]]], "meta": ["a": "b"],
  ]
  let sent = try mock.requests.last?.json(JSONValue.self)
  guard sent == expected else { throw OwnParts.Surprise(what: "nested parameters became \(String(describing: sent))") }
  _ = try await session.request("issues", parameters: ["q": title, "in": ["a": login, "n": 1]]).serializingData().value
  guard mock.requests.last?.url.query == "in%5Ba%5D=ada&in%5Bn%5D=1&q=a%20bug" else {
    throw OwnParts.Surprise(what: "a form became \(String(describing: mock.requests.last))")
  }
}
