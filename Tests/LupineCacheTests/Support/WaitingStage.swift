import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession

@testable import LupineCache

/// A session with an origin and a store.
struct WaitingStage: Sendable {
  let mock = MockTransport()
  let store: ObservedStore
  let cache: HTTPCache
  let session: Session

  init(
    _ origins: [PacedOrigin], _ fault: ObservedStore.Fault = .none,
    _ configure: (Session.Builder) -> Session.Builder = { $0 }
  ) throws {
    store = ObservedStore { fault }
    cache = try HTTPCache(store: store, hashKey: CacheBench.key)
    let index = Box(0)
    mock.stub(.get, CacheBench.url) { request in
      index.change { $0 += 1 }
      return origins[min(index.value, origins.count) - 1].reply(to: request)
    }
    session = try configure(Session.Builder().transport(mock).install(.cache(cache))).build()
  }

  /// Starts requests after a delay; returns their answers.
  func get(_ count: Int, after delay: Duration, in world: Simulation) async -> [Answer] {
    try? await world.sleep(for: delay)
    return await withTaskGroup(of: Answer.self) { group in
      for _ in 0..<count {
        group.addTask { await Answer(session.request(CacheBench.url).serializingString().response) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Starts a request, and cancels it after a time.
  func cancel(after delay: Duration, in world: Simulation) async throws {
    let request = session.request(CacheBench.url)
    let task = Task(executorPreference: world.executor) { await request.serializingString().response }
    try await world.sleep(for: delay)
    request.cancel()
    try world.expect(await task.value.error?.kind == .cancelled, "the first request was not cancelled")
  }

  func expectNothingLeft(_ world: Simulation) async throws {
    await session.finishBackgroundTasks()
    try world.expect(cache.storage.isIdle, "a request is under way")
    try world.expect(store.openWriters == 0, "\(store.openWriters) writers are open")
    await session.shutdown()
  }
}
