import Lupine
import LupineMock

// Functions of the program's own where Lupine takes asynchronous closures. They are no type's members: without the upcoming
// feature, Swift 6.3.1 crashes where a static function's name is handed over in the place of a closure.

func ownCredential(for request: CredentialRequest) async throws -> Credential? { nil }

func ownDecision(on head: HTTPResponse) async -> ResponseDisposition { .allow }

func hearInterim(of head: HTTPResponse) async {}

func freshURL(after head: HTTPResponse) async throws -> any URLConvertible { OwnPlace() }

func ownReply(to request: RecordedRequest) async throws -> MockReply {
  .text("LUPINE").field(.contentEncoding, "own")
}
