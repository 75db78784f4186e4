import Foundation
import HTTPTypes
import LupineCore
import LupineSession
import LupineTransfers
import Testing

@testable import LupineTransferQueue

/// Options of a request that a queue cannot store.
@Suite(.timeLimit(.minutes(1))) struct UnstoredOptionTests {
  private let stage: QueueStage

  init() throws { stage = try QueueStage() }

  private static let unstoredOptions: [(name: String, set: @Sendable (inout OutgoingRequest) -> Void)] = [
    ("timeouts", { $0.options.timeouts = Timeouts() }), ("version", { $0.options.version = .http1_1 }),
    ("priority", { $0.options.priority = .high }), ("expectsContinue", { $0.options.expectsContinue = true }),
    ("allowsBodyWithGET", { $0.options.allowsBodyWithGET = true }),
    ("isIdempotent", { $0.options.isIdempotent = true }),
    ("CredentialName", { $0.options[CredentialName.self] = "accounting" }),
    ("PermittedRedirects", { $0.options[PermittedRedirects.self] = { _ in true } }),
    ("ExchangeContextChange", { $0.options[ExchangeContextChange.self] = { $0 } }),
    ("PluginOption", { $0.options[PluginOption.self] = 1 }), ("PluginOption", { $0.options[PluginOption.self] = 0 }),
    ("OptionOfOrigin", { $0.options[OptionOfOrigin.self] = 1 }),
    (
      "OptionOfOrigin, PluginOption",
      { request in
        request.options[PluginOption.self] = 1
        request.options[OptionOfOrigin.self] = 1
      }
    ),
  ]

  @Test(arguments: unstoredOptions.indices)
  func `a request with an option that is not stored is refused by the option's name`(index: Int) async throws {
    let option = Self.unstoredOptions[index]
    let queue = try stage.queue { $0.network = FakeNetwork(.unavailable) }
    var request = try OutgoingRequest("https://example.com/a", method: .post, body: .bytes(Data("x".utf8)))
    option.set(&request)
    let refused = QueuedTransfer.upload(request)
    let error = await #expect(throws: LupineError.self) { try await queue.add(refused) }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains(": \(option.name)") == true, "\(error?.message ?? "")")
    #expect(try await queue.transfers == [])
    await queue.close()
  }
}

/// An option as a plugin has it.
private enum PluginOption: RequestOptionKey { static var defaultValue: Int { 0 } }

private enum OptionOfOrigin: RequestOptionKey {
  static var defaultValue: Int { 0 }
  static var isKeptAcrossOrigins: Bool { false }
}
