import Synchronization
import Testing

@testable import LupineSupport

/// Threads from a system that grants a limited number of them, and that runs a granted thread when the test starts it.
@Suite struct WorkerThreadsTests {
  private final class System: Sendable {
    private let granted = Mutex<[WorkerThreads.Job]>([])
    private let count: Int

    init(granting count: Int) { self.count = count }

    func start(_ run: @escaping WorkerThreads.Job) throws(SystemThread.Failure) {
      let isGranted = granted.withLock { granted in
        guard granted.count < count else { return false }
        granted.append(run)
        return true
      }
      if !isGranted { throw SystemThread.Failure(code: 11) }
    }

    /// Runs the code of the first granted thread on a thread of its own, where it can wait for further jobs.
    func runThread() throws {
      let first = granted.withLock(\.first)
      let run = try #require(first)
      try SystemThread("test", run).detach()
    }

    /// Runs the code of the first granted thread on the calling thread, until it ends.
    func runHere() throws {
      let first = granted.withLock(\.first)
      let run = try #require(first)
      run()
    }
  }

  private static func threads(of system: System) -> WorkerThreads {
    WorkerThreads(limit: 8, kept: 1) { (run) throws(SystemThread.Failure) in try system.start(run) }
  }

  @Test func `a caller runs the jobs if the system grants no thread`() {
    let threads = Self.threads(of: System(granting: 0))
    let jobs = Notes<Int>()
    for number in 1...2 { threads.add { jobs.add(number) } }
    #expect(jobs.all == [1, 2])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a caller to whom the system refuses a thread leaves the jobs to another thread`() async throws {
    let system = System(granting: 1)
    let threads = Self.threads(of: system)
    let jobs = Notes<Int>()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    threads.add { jobs.add(1) }
    threads.add {
      jobs.add(2)
      end.finish()
    }
    #expect(jobs.all == [])
    try system.runThread()
    for await _ in ends {}
    #expect(jobs.all == [1, 2])
  }

  @Test func `refused jobs go where the owner of the threads wants them`() {
    let system = System(granting: 0)
    let refused = Notes<Bool>()
    let threads = WorkerThreads(limit: 1, kept: 1) { (run) throws(SystemThread.Failure) in
      try system.start(run)
    } runRefused: { _ in
      refused.add(true)
    }
    threads.add { refused.add(false) }
    #expect(refused.all == [true])
  }

  @Test func `a released object runs its jobs first, and its threads then end`() throws {
    let system = System(granting: 1)
    let jobs = Notes<Int>()
    var threads: WorkerThreads? = Self.threads(of: system)
    threads?.add { jobs.add(1) }
    threads = nil
    // The loop of a thread whose object lives would wait for further jobs.
    try system.runHere()
    #expect(jobs.all == [1])
  }

  @Test(.timeLimit(.minutes(1))) func `an idle thread ends when its object is released`() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (jobs, job) = AsyncStream.makeStream(of: Void.self)
    var threads: WorkerThreads? = WorkerThreads(limit: 1, kept: 1) { (run) throws(SystemThread.Failure) in
      try SystemThread("test") {
        run()
        end.finish()
      }.detach()
    }
    threads?.add { job.finish() }
    for await _ in jobs {}
    threads = nil
    for await _ in ends {}
  }
}
