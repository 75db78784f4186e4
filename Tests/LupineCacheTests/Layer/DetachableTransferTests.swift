import HTTPTypes
import LupineCore
import Testing

@testable import LupineCache

@Suite struct DetachableTransferTests {
  private static let reason = LupineError(.cancelled, "The request was cancelled.")

  private let transfer = DetachableTransfer()
  private let branch: ExchangeControl
  private let body: ResponseBody
  private let writer: ResponseBodyWriter
  /// The errors of the ends of the exchange.
  private let ends = Box<[LupineError.Kind]>([])

  init() {
    let context = TransferContext(id: RequestID(1), sink: { _ in .collect(limit: 100) })
    branch = context.control.branch()
    (body, writer) = context.branch(branch).makeBody(for: HTTPResponse(status: .ok)) {}
    body.onEnd { [ends] end in
      if case .failure(let error) = end { ends.change { $0.append(error.kind) } }
    }
    branch.choose()
    body.tee(into: IdleObserver())
  }

  @Test(arguments: [false, true])
  func `a storing task that ends without taking the rest ends the exchange`(hasFailed: Bool) {
    #expect(transfer.detach(branch, Self.reason))
    if hasFailed { fail(.connectionLost) }
    #expect(ends.value.isEmpty)
    transfer.end()
    if !hasFailed { fail(.cancelled) }
    #expect(ends.value.count == 1)
    #expect(branch.reason != nil)
  }

  @Test func `a storing task that ends while the body is divided ends the rest`() async {
    body.onEnd { [transfer] _ in transfer.end() }
    #expect(transfer.detach(branch, Self.reason))
    #expect(branch.reason != nil)
    #expect(await transfer.takeRest() == nil)
    fail(.cancelled)
    #expect(ends.value.count == 1)
  }

  @Test func `a transfer is detached once, and its rest is taken once`() async {
    #expect(transfer.detach(branch, Self.reason))
    #expect(!transfer.detach(branch, Self.reason))
    #expect(await transfer.takeRest() != nil)
    #expect(await transfer.takeRest() == nil)
    transfer.cancel()
    #expect(branch.reason != nil)
  }

  private func fail(_ kind: LupineError.Kind) { writer.fail(LupineError(kind, ""), metrics: TransferMetrics()) }
}

/// An observer that does nothing with the bytes.
private final class IdleObserver: BodyObserver {
  func receive(_ bytes: UnsafeRawBufferPointer) {}
  func end(_ result: Result<BodyEnd, LupineError>) {}
}
