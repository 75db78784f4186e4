import LupineCore
import LupineSession
import Synchronization

/// Counts the exchanges of each origin, and those that are under way at the same time.
final class CountingTransport: Transport {
  struct Count: Sendable {
    var running = 0
    var most = 0
    var starts: [Duration] = []
  }

  private let base: any Transport
  private let now: @Sendable () -> Duration
  private let counts = Mutex<[HTTPURL.Origin: Count]>([:])

  init(_ base: any Transport, now: @escaping @Sendable () -> Duration = { .zero }) {
    self.base = base
    self.now = now
  }

  var capabilities: TransportCapabilities { base.capabilities }

  /// The counts of all origins.
  var all: [HTTPURL.Origin: Count] { counts.withLock { $0 } }
  var running: Int { all.values.reduce(0) { $0 + $1.running } }
  var most: Int { all.values.map(\.most).max() ?? 0 }
  var total: Int { all.values.reduce(0) { $0 + $1.starts.count } }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let origin = request.url.origin
    counts.withLock { counts in
      counts[origin, default: Count()].running += 1
      counts[origin, default: Count()].starts.append(now())
      counts[origin, default: Count()].most = max(counts[origin]?.most ?? 0, counts[origin]?.running ?? 0)
    }
    do throws(LupineError) {
      let response = try await base.send(request, in: context)
      response.body.onEnd { [self] _ in leave(origin) }
      return response
    } catch {
      leave(origin)
      throw error
    }
  }

  func shutdown() async { await base.shutdown() }

  private func leave(_ origin: HTTPURL.Origin) {
    counts.withLock { $0[origin, default: Count()].running -= 1 }
  }
}

extension Session {
  /// The errors of `count` concurrent requests; `nil` for each one that succeeds.
  func errors(_ count: Int, _ url: String = World.url) async -> [LupineError.Kind?] {
    await withTaskGroup(of: LupineError.Kind?.self) { group in
      for _ in 0..<count { group.addTask { await self.request(url).serializingData().response.error?.kind } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}
