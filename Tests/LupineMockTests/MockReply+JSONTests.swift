import FoundationEssentials
import HTTPTypes
import LupineCoding
import LupineCore
import LupineMock
import Testing

/// Values of several forms, each in a call that compiles without a type annotation.
@Suite struct MockReplyJSONTests {
  private struct User: Encodable, Sendable {
    var name = "ada"
  }

  private func text(_ reply: MockReply) async throws -> String {
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    return try await Exchange(method: .get).response(from: mock).text
  }

  @Test func `a literal may mix and nest`() async throws {
    #expect(try await text(.json(["id": 1, "name": "x"])) == #"{"id":1,"name":"x"}"#)
    #expect(try await text(.json([1, "a", nil])) == #"[1,"a",null]"#)
    #expect(
      try await text(.json(["a": [1, "b", ["c": nil]], "d": true, "e": 1.5]))
        == #"{"a":[1,"b",{"c":null}],"d":true,"e":1.5}"#)
    #expect(
      try await text(.json([["id": 1, "n": "x"], ["id": 2, "n": nil]])) == #"[{"id":1,"n":"x"},{"id":2,"n":null}]"#)
  }

  @Test func `a literal of one kind, and an empty one`() async throws {
    #expect(try await text(.json(["a": 1])) == #"{"a":1}"#)
    #expect(try await text(.json([1, nil])) == "[1,null]")
    #expect(try await text(.json([])) == "[]")
    #expect(try await text(.json([:])) == "{}")
    #expect(try await text(.json(nil)) == "null")
    #expect(try await text(.json("text")) == #""text""#)
  }

  @Test func `variables of several types`() async throws {
    let (id, name) = (7, "x")
    #expect(try await text(.json(["id": id, "name": name])) == #"{"id":7,"name":"x"}"#)
    #expect(try await text(.json([id, name])) == #"[7,"x"]"#)
    #expect(try await text(.json(["user": User(), "id": 1])) == #"{"id":1,"user":{"name":"ada"}}"#)
  }

  @Test func `variables of several types in objects of an array or object`() async throws {
    let (id, name) = (7, "x")
    #expect(try await text(.json([["id": id, "name": name]])) == #"[{"id":7,"name":"x"}]"#)
    #expect(try await text(.json([["id": 1, "user": User()]])) == #"[{"id":1,"user":{"name":"ada"}}]"#)
    #expect(try await text(.json(["user": ["id": 1, "name": name]])) == #"{"user":{"id":1,"name":"x"}}"#)
  }

  @Test func `variables in a literal that nests in another way are JSON values`() async throws {
    let name = "x"
    let value: JSONValue = "x"
    let expected = #"{"items":[{"id":1,"name":"x"}],"total":1}"#
    #expect(try await text(.json(["items": [["id": 1, "name": .string(name)]], "total": 1])) == expected)
    #expect(try await text(.json(["items": [["id": 1, "name": "\(name)"]], "total": 1])) == expected)
    #expect(try await text(.json(["items": [["id": 1, "name": value]], "total": 1])) == expected)
  }

  @Test func `values of one type`() async throws {
    #expect(try await text(.json(User())) == #"{"name":"ada"}"#)
    #expect(try await text(.json([User()])) == #"[{"name":"ada"}]"#)
    #expect(try await text(.json([User(), nil])) == #"[{"name":"ada"},null]"#)
    let value: JSONValue = ["a": 1]
    #expect(try await text(.json(value)) == #"{"a":1}"#)
  }

  @Test func `the status and the encoder hold for every form`() async throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    let reply = MockReply.json(["at": Date(timeIntervalSince1970: 5), "n": 1], status: .accepted, encoder: encoder)
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    let response = try await Exchange(method: .get).response(from: mock)
    #expect(response.head.status == .accepted)
    #expect(response.text.contains(#""at":5"#))
    #expect(try await text(.json(["a": "b", "c": 1]).status(.notFound)) == #"{"a":"b","c":1}"#)
  }
}
