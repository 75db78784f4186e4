import Lupine
import LupineMock

// Functions that the program passes to Lupine in the place of asynchronous closures. They are global functions: in a
// package without upcoming features, Swift 6.3.1 crashes if a static function is passed by its name.

func ownCredential(for request: CredentialRequest) async throws -> Credential? { nil }

func ownDecision(on head: HTTPResponse) async -> ResponseDisposition { .allow }

func hearInterim(of head: HTTPResponse) async {}

func freshURL(after head: HTTPResponse) async throws -> any URLConvertible { OwnPlace() }

func ownReply(to request: RecordedRequest) async throws -> MockReply {
  .text("LUPINE").field(.contentEncoding, "own")
}
