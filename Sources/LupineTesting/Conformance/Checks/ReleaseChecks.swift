import HTTPTypes
import LupineCore
import Synchronization

extension ConformanceKit {
  /// Checks that a transport keeps nothing of an exchange that has ended.
  static let releaseChecks: [ConformanceCheck] = [
    released("is complete") { stage, settings in
      _ = try await stage.fetch("/whole", method: .post, body: .text("body"), with: settings)
    },
    released("failed before its head") { stage, settings in
      try await stage.expect(error: .connectionLost, "The request") {
        _ = try await stage.fetch("/lost", with: settings)
      }
    },
    released("was cancelled within its body") { stage, settings in
      let exchange = try await stage.send(stage.request("/stalled"), settings)
      settings.control.cancel(LupineError(.cancelled, "The check cancels this exchange."))
      try await stage.expect(error: .cancelled, "The body") { _ = try await exchange.end() }
    },
    cancelledUpload,
  ]

  private static func released(
    _ what: String, _ exchange: @escaping @Sendable (ConformanceStage, StageSettings) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck(
      "the context of an exchange that \(what) is released",
      about: "A handler of `onCancel` that holds the context or its control keeps both, because the control holds it."
    ) { stage in
      try stage.play { request in
        switch request.target {
        case "/lost": .end(.reset)
        case "/stalled":
          .make { response in
            response.framing = .length(100)
            response.body = [.text("some of it"), .wait(Gate())]
          }
        default: .text("ok")
        }
      }
      let released = Gate()
      let control = try await run(exchange, on: stage, opening: released)
      try await stage.expect(soon: { released.isOpen }, "Whether nothing holds the context any more")
      try await stage.expect(soon: { control.value == nil }, "Whether nothing holds the control any more")
    }
  }

  /// Runs an exchange; the gate opens when nothing holds its context any more.
  private static func run(
    _ exchange: @Sendable (ConformanceStage, StageSettings) async throws -> Void, on stage: ConformanceStage,
    opening released: Gate
  ) async throws -> WeakControl {
    var settings = StageSettings()
    let token = ReleaseToken(released)
    settings.onEvent = { _ in withExtendedLifetime(token) {} }
    try await exchange(stage, settings)
    return WeakControl(settings.control)
  }

  private static let cancelledUpload = ConformanceCheck(
    "the request's body of a cancelled exchange is cancelled", needs: .streamedUploads,
    about: "The reader's `cancel()` releases what the body holds, such as a file or a task."
  ) { stage in
    try stage.play { _ in .text("ok") }
    let (begun, released) = (Gate(), Gate())
    let body = RequestBody.stream { PendingSequence(first: "some", begun: begun, released: released) }
    let request = try stage.request(method: .post, body: body)
    let settings = StageSettings()
    let pending = Task { _ = try await stage.fetch(request, settings) }
    try await begun.opened()
    settings.control.cancel(LupineError(.cancelled, "The check cancels this exchange."))
    try await stage.expect(error: .cancelled, "The request") { try await pending.value }
    try await stage.expect(soon: { released.isOpen }, "Whether the body is released")
  }
}

/// Opens a gate when its last reference is gone.
private final class ReleaseToken: Sendable {
  private let released: Gate

  init(_ released: Gate) { self.released = released }

  deinit { released.open() }
}

/// Yields one text, then waits until its task is cancelled.
struct PendingSequence: AsyncSequence, AsyncIteratorProtocol, Sendable {
  /// The text to yield; `nil` once it has been.
  private var first: String?
  private let begun: Gate
  private let token: ReleaseToken

  /// - Parameters:
  ///   - begun: opened when the text has been taken.
  ///   - released: opened when nothing reads or holds the sequence any more.
  init(first: String, begun: Gate = Gate(), released: Gate) {
    self.first = first
    self.begun = begun
    token = ReleaseToken(released)
  }

  func makeAsyncIterator() -> PendingSequence { self }

  mutating func next() async throws -> [UInt8]? {
    if let text = first.take() { return Array(text.utf8) }
    begun.open()
    try await Gate().opened()
    return nil
  }
}
