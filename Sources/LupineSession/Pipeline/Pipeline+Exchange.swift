import HTTPTypes
import LupineCore
import Synchronization

extension Pipeline {
  /// Passes the interceptors, makes the exchanges, and waits for the body.
  func exchange(
    _ request: OutgoingRequest, _ number: Int, through interceptors: [any Interceptor]
  ) async throws(LupineError) -> ReceivedResponse {
    do {
      return try await task.interruptible {
        let loop = ExchangeLoop(task, number)
        let control = ExchangeControl(now: session.clock.now)
        let context = loop.context(forInterceptorsOf: request, control: control)
        defer { task.state.withLock { $0.exchange.body = nil } }
        do {
          let response = try await Self.pass(request, interceptors[...], context) { next in
            task.takeTimeouts(of: next)
            loop.forgetRedirects()
            let response = try await loop.send(next)
            task.state.withLock { $0.exchange.body = response.body }
            loop.tellEnd(of: response)
            return response
          }
          return try await loop.receive(response, from: request, orOwn: control)
        } catch {
          loop.breakOffExchange()
          throw error
        }
      }
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.interceptionFailed, "An interceptor threw: \(error).", underlying: error)
    }
  }

  /// The session's, then the request's own.
  var interceptors: [any Interceptor] {
    let own = task.state.withLock { $0.settings.interceptors }
    return own.isEmpty ? session.configuration.interceptors : session.configuration.interceptors + own
  }

  private static func pass(
    _ request: OutgoingRequest, _ interceptors: ArraySlice<any Interceptor>, _ context: TransferContext,
    _ last: (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    guard let interceptor = interceptors.first else { return try await last(request) }
    return try await interceptor.intercept(request, context: context) { next in
      try await pass(next, interceptors.dropFirst(), context, last)
    }
  }
}
