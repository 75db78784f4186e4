import LupineCore
import LupineSupport
import Synchronization

extension MockTransport {
  /// Performs an exchange when it may begin, if the session limits the number of concurrent exchanges.
  func inTurn(
    _ request: OutgoingRequest, in context: TransferContext,
    _ exchange: () async throws(LupineError) -> TransportResponse
  ) async throws(LupineError) -> TransportResponse {
    let options = context.connections
    guard options.perHost != nil || options.total != nil else { return try await exchange() }
    let (id, wait) = state.withLock { $0.line.enter(request, options) }
    do throws(LupineError) {
      if let wait { try await self.wait(wait, in: context) }
      let response = try await exchange()
      response.body.onEnd { [self] _ in endTurn(id, request.url) }
      return response
    } catch {
      endTurn(id, request.url)
      throw error
    }
  }

  private func wait(_ wait: MockLine.Wait, in context: TransferContext) async throws(LupineError) {
    context.emit(.queued(reason: wait.reason))
    let exchange = try enter(context)
    defer { leave(exchange) }
    try await exchange.run(on: context.executor) { () throws(LupineError) in _ = await wait.turn.value() }
  }

  private func endTurn(_ id: UInt64, _ url: HTTPURL) {
    for turn in state.withLock({ $0.line.leave(id, url) }) { turn.resume(returning: ()) }
  }
}
