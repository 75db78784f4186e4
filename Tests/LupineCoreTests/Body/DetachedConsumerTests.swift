import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import LupineCore

/// Bodies that are detached while a consumer or a layer works on them.
@Suite(.timeLimit(.minutes(1))) struct DetachedConsumerTests {
  private typealias Stage = DetachedStage

  /// An observer that is called at the end alone.
  private final class EndObserver: BodyObserver {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func receive(_ bytes: UnsafeRawBufferPointer) {}
    func end(_ result: Result<BodyEnd, LupineError>) { action() }
  }

  @Test(arguments: [false, true])
  func `a waiting flush ends when the transport writes to the rest of a detached body`(isData: Bool) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "detached-\(UInt64.random(in: 0 ... .max))").path
    defer { unlink(path) }
    let handle = try #require(fopen(path, "w"))
    defer { fclose(handle) }
    let (begun, mayContinue) = (Flag(), Gate())
    // On a thread that may wait.
    let stage = Stage(
      recorder: BodyRecorder {
        begun.raise()
        mayContinue.wait()
      })
    stage.body.open(.file(descriptor: fileno(handle), offset: 0, limit: 100))
    _ = try stage.write([1, 2, 3])
    let first = Task { await stage.body.flush() }
    await begun.raised()
    // `Task.immediate` returns when this flush waits for the first one.
    let second = Task.immediate { await stage.body.flush() }
    let rest = try #require(stage.branch.detachBody(Stage.reason))
    _ = isData ? try stage.writer.write(Data([4, 5])) : try stage.write([4, 5])
    stage.finish()
    mayContinue.signal()
    await first.value
    await second.value
    #expect(try await Stage.read(rest) == [4, 5])
    #expect(stage.recorder.bytes == [1, 2, 3])
  }

  @Test func `there is no rest once the observer receives the end`() async throws {
    let stage = Stage()
    let rests = Notes<ResponseBody?>()
    stage.body.tee(into: EndObserver { rests.add(stage.branch.detachBody(Stage.reason)) })
    stage.body.open(.collect(limit: 100))
    _ = try stage.write([1, 2, 3])
    stage.finish()
    #expect(try await stage.body.end().data == Data([1, 2, 3]))
    #expect(rests.all.count == 1 && rests.all.allSatisfy { $0 == nil })
  }

  @Test func `the content of a layer goes on without the request that was cancelled`() async throws {
    let (stream, source) = AsyncStream.makeStream(of: [UInt8].self)
    source.yield([1, 2, 3])
    let context = TransferContext(id: RequestID(1), sink: { _ in .collect(limit: 100) })
    let branch = context.control.branch()
    let response = try await context.branch(branch).makeResponse(
      HTTPResponse(status: .ok), content: .stream { stream }, trailers: [.server: "t"])
    branch.choose()
    let recorder = BodyRecorder()
    response.body.tee(into: recorder)
    let rests = Notes<ResponseBody?>()
    context.onCancel { rests.add(branch.detachBody(Stage.reason)) }
    context.control.cancel(Stage.reason)
    let rest = try #require(rests.all.first ?? nil)
    source.yield([4])
    source.yield([5, 6])
    source.finish()
    #expect(recorder.bytes + (try await Stage.read(rest)) == [1, 2, 3, 4, 5, 6])
    #expect(await recorder.failure()?.kind == .cancelled)
  }
}
