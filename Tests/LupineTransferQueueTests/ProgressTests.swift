import Foundation
import LupineCore
import LupineFixtures
import LupineMock
import LupineSession
import Testing

@testable import LupineTransferQueue

/// The rate of snapshots of the progress, in virtual time.
@Suite(.timeLimit(.minutes(1))) struct ProgressTests {
  /// Checks that there are at most ten times in each of three seconds, and about as many as there may be.
  ///
  /// The last one is that of the last byte, which is not delayed.
  private static func expectTenPerSecond(_ times: [Duration]) {
    for (index, time) in times.dropLast().enumerated().dropFirst(10) {
      #expect(time - times[index - 10] >= .seconds(1), "\(times)")
    }
    #expect((25...32).contains(times.count), "\(times)")
  }

  /// Runs one transfer of three seconds, and returns the times of what the closure reads meanwhile.
  private static func times(
    isUpload: Bool = false,
    _ read: @escaping @Sendable (TransferQueue, TransferID, () -> Void) async throws -> Void
  ) async throws -> [Duration] {
    try await withSimulation { world in
      let stage = try QueueStage()
      let pieces = (0..<1_500).map { _ in Data(count: 100) }
      stage.mock.stub(.get, "/a", MockReply.status(.ok).chunked(pieces, every: .milliseconds(2)))
      stage.mock.stub(.post, "/a", .status(.ok))
      let queue = try stage.queue(try Session.Builder().transport(stage.mock).build(), clock: nil) {
        // An upload of 3 MB takes three seconds.
        if isUpload { $0.bytesPerSecond = 1_000_000 }
      }
      let path = try stage.folder.write(Data(count: 3_000_000), to: "sent")
      let start = world.clock.now
      var times: [Duration] = []
      let id = try await queue.add(
        isUpload ? .upload(file: path, to: "https://example.com/a") : stage.download("a"))
      try await read(queue, id) { times.append(start.duration(to: world.clock.now)) }
      #expect(try #require(try await queue.next(1).first).isFinished)
      await queue.close()
      return times
    }
  }

  @Test func `a reader gets the progress of a download ten times a second at most`() async throws {
    let times = try await Self.times { queue, id, note in for await _ in queue.progress(of: id) { note() } }
    Self.expectTenPerSecond(times)
  }

  @Test func `a reader gets the progress of an upload ten times a second at most`() async throws {
    let times = try await Self.times(isUpload: true) { queue, id, note in
      for await _ in queue.progress(of: id) { note() }
    }
    Self.expectTenPerSecond(times)
  }

  @Test func `a reader gets the list of transfers ten times a second at most`() async throws {
    let times = try await Self.times { queue, _, note in
      for await transfers in queue.updates {
        note()
        if transfers.allSatisfy({ $0.state.isEnded }) { break }
      }
    }
    Self.expectTenPerSecond(times)
  }
}
