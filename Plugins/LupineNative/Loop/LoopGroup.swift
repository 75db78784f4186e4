import LupineCore
import LupineEventLoop
import Synchronization

/// The loops of a transport.
///
/// All exchanges of a route are on one loop, so that they share its connections, and a slow or hostile server delays only
/// the routes of its loop. New routes are given to the loops in turn.
final class LoopGroup: Sendable {
  /// The maximum number of routes that are given to the loops in turn; the hash of a further route selects its loop.
  private static let capacity = 10_000

  let threads: [LoopThread]
  /// The index of each route's loop, by the hash of the route.
  ///
  /// An entry is never removed, because an exchange of its route may be on its way to the loop.
  private let places = Mutex<[Int: Int]>([:])
  private let jobCount = Atomic<Int>(0)

  /// - Parameter threads: the threads of the loops, at least one.
  init(_ threads: [LoopThread]) { self.threads = threads }

  /// Returns the loop of an exchange's route.
  func thread(for url: HTTPURL, _ connectionKey: ConnectionKey) -> LoopThread {
    guard threads.count > 1 else { return threads[0] }
    let hash = RouteKey(url, connectionKey).hashValue
    let index = places.withLock { places in
      if let index = places[hash] { return index }
      guard places.count < Self.capacity else { return Int(hash.magnitude % UInt(threads.count)) }
      let index = places.count % threads.count
      places[hash] = index
      return index
    }
    return threads[index]
  }

  /// Ends the loops after their last exchanges.
  func stopWhenIdle() { for thread in threads { thread.stopWhenIdle() } }

  /// Ends the loops, and returns when their threads have ended.
  ///
  /// It tells every loop before it waits. A loop that ends frees places, and another loop must not give them to exchanges
  /// that wait.
  func shutDown() async {
    await withTaskGroup { group in
      for thread in threads { group.addImmediateTask { await thread.shutDown() } }
    }
  }

  /// Counts the connections.
  func connectionPool() async -> ConnectionPoolSnapshot {
    var sum = ConnectionPoolSnapshot()
    for thread in threads {
      let snapshot = await thread.connectionPool()
      sum.open += snapshot.open
      sum.idle += snapshot.idle
    }
    return sum
  }
}

extension LoopGroup: TaskExecutor {
  /// Queues a job for the loop whose thread calls, so that a task continues where its response has arrived.
  ///
  /// The jobs of other threads go to the loops in turn.
  func enqueue(_ job: consuming ExecutorJob) {
    let thread = threads.first(where: \.isCurrent) ?? nextThread
    thread.run(LoopJob(job, for: asUnownedTaskExecutor()))
  }

  private var nextThread: LoopThread {
    guard threads.count > 1 else { return threads[0] }
    let count = jobCount.wrappingAdd(1, ordering: .relaxed).oldValue
    return threads[Int(count.magnitude % UInt(threads.count))]
  }
}
