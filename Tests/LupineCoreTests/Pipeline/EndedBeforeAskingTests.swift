import HTTPTypes
import LupineFixtures
import LupineMock
@testable import LupineTransfers
import Testing

@testable import LupineCore
@testable import LupineSession

/// Requests that end while the body of a 401 or a 410 response arrives.
///
/// The session then requests neither a credential nor a fresh URL.
@Suite struct EndedBeforeAskingTests {
  enum Question: Int, CaseIterable, Sendable {
    case credential = 401
    case freshURL = 410
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func request(_ question: Question, in session: Session) -> any SessionRequest {
    switch question {
    case .credential:
      session.request(TestBed.url).onChallenge { _ in
        Issue.record("a person was asked for a credential")
        return nil
      }
    case .freshURL:
      session.download(TestBed.url, to: .file(folder.file("a"))).refreshingURL { _ in
        Issue.record("the program was asked for a fresh URL")
        return TestBed.url
      }
    }
  }

  @Test(arguments: Question.allCases)
  func `a request that is cancelled while the body of a challenge arrives calls no scheme or closure`(
    question: Question
  ) async throws {
    let begun = Flag()
    let transport = ClosureTransport { _, context throws(LupineError) in
      let (response, writer) = context.begin(question.rawValue, [.wwwAuthenticate: "Basic realm=x"])
      context.onCancel { writer.fail(LupineError(.cancelled, ""), metrics: TransferMetrics()) }
      begun.raise()
      return response
    }
    let session = try Session.Builder().transport(transport).timeouts(idle: nil).build()
    let waiting = request(question, in: session)
    async let outcome = waiting.execution.outcome()
    await begun.raised()
    waiting.cancel()
    #expect(await outcome.error?.kind == .cancelled)
  }

  @Test(arguments: Question.allCases, [LupineError.Timeout.total, .attempt])
  func `a request that times out while the body of a challenge arrives calls no scheme or closure`(
    question: Question, timeout: LupineError.Timeout
  ) async throws {
    let page = MockReply.text("not so", status: HTTPResponse.Status(code: question.rawValue))
      .field(.wwwAuthenticate, "Basic realm=x").stall(afterBytes: 3)
    let session = try TestBed(page).session {
      timeout == .total ? $0.timeouts(idle: nil, total: .seconds(5)) : $0.timeouts(idle: nil, attempt: .seconds(5))
    }
    #expect(await request(question, in: session).execution.outcome().error?.kind == .timedOut(timeout))
  }
}
