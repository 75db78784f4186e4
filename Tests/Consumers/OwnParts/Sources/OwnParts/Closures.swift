import Lupine
import LupineMock

/// Functions of the program's own where Lupine takes asynchronous closures.
enum OwnClosures {
  static func credential(for request: CredentialRequest) async throws -> Credential? { nil }

  static func decide(on head: HTTPResponse) async -> ResponseDisposition { .allow }

  static func hear(of head: HTTPResponse) async {}

  static func freshURL(after head: HTTPResponse) async throws -> any URLConvertible { OwnPlace() }

  static func reply(to request: RecordedRequest) async throws -> MockReply {
    .text("LUPINE").field(.contentEncoding, "own")
  }
}
