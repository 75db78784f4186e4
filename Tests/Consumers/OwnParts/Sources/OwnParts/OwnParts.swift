import Foundation
import Lupine
import LupineMock

/// A program with its own parts of a session, which sends requests through them.
///
/// The packages beside it adopt the other protocols.
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
    let answer = try await session.request(OwnPlace(), method: .post, parameters: ["color": "blue"])
      .onHTTPResponse(ownDecision).onInterimResponse(hearInterim)
      .serializingResponse(using: OwnSerializer(preprocessor: OwnPreprocessor())).value
    guard answer == OwnAnswer(text: "lupine") else { throw Surprise(what: "the parts made \(answer)") }
    let sent = mock.requests.last
    guard sent?.text == "own parameters", sent?.headers[.accept] == "text/own", sent?.headers[.cookie] == "own=1" else {
      throw Surprise(what: "what was sent is \(String(describing: sent))")
    }
    mock.stub(.get, "https://example.com/flowers", .failure(.connectionRefused))
    let kept = try await session.request(OwnRoute()).serializingString().value
    guard kept == "kept" else { throw Surprise(what: "the interceptor answered \(kept)") }
    try await checkBreaker()
    try await checkNetwork()
    // Never started, and there to be compiled.
    _ = session.download(OwnRoute()).refreshingURL(freshURL)
    _ = session.upload(multipart: OwnForm(), to: OwnPlace())
    print("with parts of its own, the program got: \(answer.text)")
  }
}
