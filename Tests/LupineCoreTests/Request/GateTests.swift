import Dispatch
import LupineMock
@testable import LupineSession
import LupineStreams
import Synchronization
import Testing

@testable import LupineCore

@Suite struct GateTests {
  @Test func `an attempt that is held back again on its way through the gate does not begin`() async throws {
    let bench = TestBed()
    let executor = PatientExecutor()
    let request = try bench.session { $0.executor(executor) }.request(TestBed.url)
    request.response { _ in }
    request.suspend()
    await executor.runAll()
    request.resume()
    request.suspend()
    await executor.runAll()
    #expect(bench.log.names.filter { $0 == "started" || $0 == "attempting" } == ["started"])
    request.cancel()
    await executor.runAll()
    #expect(bench.log.finishedCount == 1)
  }

  @Test func `a stream that is cancelled before its start runs until its handlers have been called`() async throws {
    let executor = PatientExecutor()
    let session = try TestBed().session { $0.executor(executor) }
    let ends = Notes<LupineError.Kind?>()
    let request = session.streamRequest(TestBed.url)
    request.suspend()
    request.execution.addCompletionHandler { _, outcome in ends.add(outcome.error?.kind) }
    request.cancel()
    #expect(session.withAllRequests { $0.map(\.id) } == [request.id])
    await executor.runAll()
    await session.finishRequests()
    #expect(ends.all == [.cancelled])
    #expect(session.withAllRequests { $0.isEmpty })
  }
}

/// An executor whose jobs run only when the test allows it.
private final class PatientExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let queue = DispatchQueue(label: "patient")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the waiting jobs, and the jobs that these enqueue.
  func runAll() async {
    await withCheckedContinuation { continuation in
      queue.async {
        while let job = self.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
        continuation.resume()
      }
    }
  }
}
