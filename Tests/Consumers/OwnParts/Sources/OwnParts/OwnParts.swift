import Foundation
import Lupine
import LupineMock

/// A program whose session uses the program's own implementations of Lupine's protocols.
///
/// The other packages in `Tests/Consumers` implement the remaining protocols.
@main struct OwnParts {
  struct Surprise: Error {
    let what: String
  }

  static func main() async throws {
    let mock = MockTransport()
    mock.stub(
      .post, "https://example.com/flowers", where: [RequestCondition(OwnMatcher())],
      ownReply)
    let session = try Session.Builder().transport(OwnTransport(mock: mock)).clock(OwnClock()).install(OwnPlugin())
      .decoder(OwnDecoder()).parameterEncoder(OwnEncoder()).cookieStore { OwnCookies() }
      .trust(["flowers.example.com": OwnEvaluator()]).onChallenge(ownCredential).build()
    let fields: RequestHeaders = [.acceptLanguage: "en"]
    let answer = try await session.request(OwnPlace(), method: .post, parameters: ["color": "blue"], headers: fields)
      .onHTTPResponse(ownDecision).onInterimResponse(hearInterim)
      .serializingResponse(using: OwnSerializer(preprocessor: OwnPreprocessor())).value
    guard answer == OwnAnswer(text: "lupine") else { throw Surprise(what: "the parts made \(answer)") }
    let sent = mock.requests.last
    guard sent?.text == "own parameters", sent?.headers[.accept] == "text/own", sent?.headers[.cookie] == "own=1",
      sent?.headers[.acceptLanguage] == "en"
    else {
      throw Surprise(what: "what was sent is \(String(describing: sent))")
    }
    mock.stub(.get, "https://example.com/flowers", .failure(.connectionRefused))
    let kept = try await session.request(OwnRoute()).serializingString().value
    guard kept == "kept" else { throw Surprise(what: "the interceptor answered \(kept)") }
    try await checkBreaker()
    try await checkNetwork()
    try await checkNestedParameters()
    // These requests never start; they show that the calls compile.
    _ = session.download(OwnRoute()).refreshingURL(freshURL)
    _ = session.upload(multipart: OwnForm(), to: OwnPlace())
    print("with parts of its own, the program got: \(answer.text)")
  }
}
