import FoundationEssentials
import Lupine
import Testing
import TransportSupport

@Suite(.besidePeers, .overEachTransport) struct ParameterTests {
  private let parameters: Parameters = ["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true]]

  @Test(arguments: [HTTPRequest.Method.get, .delete])
  func `parameters go into the query`(_ method: HTTPRequest.Method) async throws {
    let echo = try await echo(method, encoder: nil)
    #expect(echo["args"] == ["foo": "bar", "baz[]": ["a", "1"], "qux[x]": "1", "qux[y]": "1"])
    #expect(echo["data"] == "")
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
  func `parameters go into a form`(_ method: HTTPRequest.Method) async throws {
    let echo = try await echo(method, encoder: nil)
    #expect(echo["form"] == ["foo": "bar", "baz[]": ["a", "1"], "qux[x]": "1", "qux[y]": "1"])
    #expect(echo["args"] == [:])
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
  func `parameters go into a JSON body`(_ method: HTTPRequest.Method) async throws {
    let echo = try await echo(method, encoder: .json)
    #expect(echo["json"] == .object(parameters.values))
    #expect(echo["headers"]?["Content-Type"] == "application/json")
  }

  @Test func `parameters go into an XML property list`() async throws {
    let echo = try await echo(.post, encoder: .propertyList)
    let list = try PropertyListDecoder().decode(PropertyListValue.self, from: Data((echo["data"]?.string ?? "").utf8))
    #expect(list["foo"] == .string("bar"))
    #expect(list["qux"]?["y"] == .bool(true))
    #expect(echo["headers"]?["Content-Type"] == "application/x-plist")
  }

  @Test func `parameters go into a binary property list`() async throws {
    let echo = try await echo(.post, encoder: .propertyList(format: .binary))
    let base64 = echo["data"]?.string?.split(separator: ",").last.map(String.init) ?? ""
    let data = try #require(Data(base64Encoded: base64))
    let list = try PropertyListDecoder().decode(PropertyListValue.self, from: data)
    #expect(list["baz"]?[0] == .string("a"))
  }

  @Test func `a POST has its parameters in the query if the encoder puts them there`() async throws {
    let echo = try await echo(.post, encoder: .urlEncodedForm(destination: .queryString))
    #expect(echo["args"]?["foo"] == "bar")
    #expect(echo["form"] == [:])
  }

  @Test func `a JSON body with GET is refused before anything is sent`() async throws {
    let request = try Peer.httpbin.session().request("anything", parameters: parameters, encoder: .json)
    let error = await request.serializingData().response.error
    #expect(error?.kind == .invalidRequest)
    #expect(error?.metrics == nil)
  }

  @Test(arguments: ["Grüße, Jürgen", "日本語", "🌷 lupine", "a&b=c+d%20;/?#[]@!$'()*,", " ", "\u{0}\n\t"])
  func `text arrives as it was`(_ text: String) async throws {
    let session = try Peer.httpbin.session()
    let query = try await session.request("anything", parameters: ["text": text]).serializingJSON().value
    #expect(query["args"]?["text"]?.string == text)
    let form = try await session.request("anything", method: .post, parameters: ["text": text]).serializingJSON().value
    #expect(form["form"]?["text"]?.string == text)
    let json = try await session.request("anything", method: .post, parameters: ["text": text], encoder: .json)
      .serializingJSON().value
    #expect(json["json"]?["text"]?.string == text)
  }

  @Test func `parameters may have a type of their own`() async throws {
    struct Search: Encodable, Sendable {
      let words: [String]
      let page: Int?
    }
    let request = try Peer.httpbin.session().request("get", parameters: Search(words: ["a", "b"], page: 2))
    #expect(try await request.serializingJSON().value["args"] == ["words[]": ["a", "b"], "page": "2"])
  }

  @Test func `parameters may mix variables of any type`() async throws {
    let (name, count, isNew) = ("lupine", 3, true)
    let request = try Peer.httpbin.session()
      .request("get", parameters: ["name": name, "count": count, "isNew": isNew] as [String: any Encodable & Sendable])
    #expect(try await request.serializingJSON().value["args"] == ["name": "lupine", "count": "3", "isNew": "1"])
  }

  private func echo(_ method: HTTPRequest.Method, encoder: (any ParameterEncoder)?) async throws -> JSONValue {
    try await Peer.httpbin.session().request("anything", method: method, parameters: parameters, encoder: encoder)
      .validate().serializingJSON().value
  }
}
