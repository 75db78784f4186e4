import FoundationEssentials
import Lupine
import LupineMock
import Testing

/// Texts of 1 MiB for each parser; a parser with quadratic work takes 10¹² steps and exceeds the time limit.
@Suite struct ParsingTests {
  /// Texts of 1 MiB that repeat one unit; the tests of each parser count its steps on shorter texts.
  static let megabytes = ["@", ";", ",", "\t", "%", "{", "\"", "a,"].map {
    String(repeating: $0, count: (1 << 20) / $0.utf8.count)
  }

  private static func session(_ reply: MockReply) throws -> Session {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", reply)
    return try Session.Builder().transport(mock).install(.compression).build()
  }

  @Test(.timeLimit(.minutes(2)), arguments: megabytes.indices)
  func `a megabyte of one sign in a challenge`(index: Int) {
    let text = Self.megabytes[index]
    // Without a quotation mark, the parser can stop at an invalid character; after one, it reads every character.
    _ = AuthenticationChallenge.parse(["Basic \(text)", "Basic realm=\"\(text)"])
  }

  @Test(.timeLimit(.minutes(2)), arguments: megabytes.indices)
  func `a megabyte of one sign in each field that is read`(index: Int) async throws {
    let text = Self.megabytes[index].replacing("\t", with: "a\t").trimmingSuffix()
    for name in [HTTPField.Name.contentType, .contentEncoding, .wwwAuthenticate] {
      let reply = MockReply.text("x", status: .unauthorized).field(name, text)
      let session = try Self.session(reply)
      _ = await session.request("https://a.example.com/", headers: [.accept: "text/plain"]).validate()
        .authenticate(username: "u", password: "p").serializingString().response
    }
    let redirect = try Self.session(.redirect(to: text))
    _ = await redirect.request("https://a.example.com/").serializingData().response
  }

  @Test(.timeLimit(.minutes(2)), arguments: megabytes.indices)
  func `a megabyte of one sign in each serializer and in a URL`(index: Int) async throws {
    let text = Self.megabytes[index]
    let session = try Self.session(.text(text, contentType: "text/plain; charset=utf-8"))
    let request = session.request("https://a.example.com/")
    _ = await request.serializingJSON().response
    _ = await request.serializingPropertyList().response
    _ = await request.serializingDecodable([String].self).response
    _ = await request.serializingString().response
    _ = await session.request("https://a.example.com/" + text).serializingData().response
  }

  static let deep = 100_000

  static let nested: [(type: String, text: String)] = [
    ("application/json", String(repeating: "[", count: deep) + String(repeating: "]", count: deep)),
    ("application/json", String(repeating: "{\"a\":", count: deep) + "1" + String(repeating: "}", count: deep)),
    (
      "application/xml",
      "<plist>" + String(repeating: "<array>", count: deep) + String(repeating: "</array>", count: deep) + "</plist>"
    ),
  ]

  @Test(arguments: nested.indices)
  func `a hundred thousand levels are an error of every serializer`(index: Int) async throws {
    let (type, text) = Self.nested[index]
    let request = try Self.session(.text(text, contentType: type)).request("https://a.example.com/")
    if type == "application/json" {
      #expect(await request.serializingJSON().response.error != nil)
      #expect(await request.serializingDecodable(JSONValue.self).response.error != nil)
    }
    #expect(await request.serializingPropertyList().response.error != nil)
    #expect(await request.serializingDecodable([String: String].self).response.error != nil)
  }

  @Test func `a hundred thousand levels are an error of every encoder`() async throws {
    let session = try Self.session(.text("x"))
    var value = JSONValue.array([])
    for _ in 0..<Self.deep { value = .array([value]) }
    for encoder in [URLEncodedFormParameterEncoder() as any ParameterEncoder, .json, .propertyList] {
      let response = await session.request(
        "https://a.example.com/", method: .post, parameters: ["a": value], encoder: encoder
      ).serializingData().response
      #expect(response.error != nil, "\(encoder)")
    }
    // Releases the levels one by one, because the runtime releases a nested value recursively.
    while case .array(let inner) = value, let next = inner.first { value = next }
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String {
    var text = self
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return text
  }
}
