import Foundation
import Lupine
import LupineMock

/// A program that adopts every protocol of Lupine's that is there to be adopted, and sends one request through its parts.
@main struct OwnParts {
  struct Surprise: Error {
    let what: String
  }

  static func main() async throws {
    let mock = MockTransport()
    mock.stub(
      .post, "https://example.com/flowers", where: [RequestCondition(OwnMatcher())],
      .text("LUPINE").field(.contentEncoding, "own"))
    let session = try Session.Builder().transport(OwnTransport(mock: mock)).clock(OwnClock()).install(OwnPlugin())
      .decoder(OwnDecoder()).parameterEncoder(OwnEncoder()).cookieStore { OwnCookies() }
      .trust(["flowers.example.com": OwnEvaluator()]).build()
    let answer = try await session.request(OwnPlace(), method: .post, parameters: ["color": "blue"])
      .serializingResponse(using: OwnSerializer(preprocessor: OwnPreprocessor())).value
    guard answer == OwnAnswer(text: "lupine") else { throw Surprise(what: "the parts made \(answer)") }
    let sent = mock.requests.last
    guard sent?.text == "own parameters", sent?.headers[.accept] == "text/own", sent?.headers[.cookie] == "own=1" else {
      throw Surprise(what: "what was sent is \(String(describing: sent))")
    }
    print("with parts of its own, the program got: \(answer.text)")
  }
}
