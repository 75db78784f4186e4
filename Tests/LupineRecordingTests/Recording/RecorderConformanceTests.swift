import LupineCore
import LupineCurl
import LupineFixtures
import LupineNative
import LupineRecording
import LupineTesting
import Synchronization
import Testing

/// A recorder changes nothing of what the transport inside it does, and records all of it.
@Suite(.timeLimit(.minutes(3))) struct RecorderConformanceTests {
  /// The check that libcurl fails in one of two ways: it discards the content of a 417 in order to send again, but not
  /// always in time.
  private static let unsteady = "a 417 in place of 100 leaves the body unsent"

  @Test(arguments: [false, true])
  func `a transport and a recorder around it do not differ, and each exchange of the checks is recorded`(
    isNative: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let make: @Sendable () -> any Transport = { isNative ? NativeTransport() : CurlTransport() }
    let takes = Mutex<[KitTake]>([])
    var (compared, recorded) = (0, 0)
    for check in ConformanceKit.checks(for: make()) where isNative || check.name != Self.unsteady {
      takes.withLock { $0 = [] }
      let report = try await ConformanceKit.differences(
        between: ConformanceSubject("The transport", transport: make),
        and: ConformanceSubject("The transport") { [compared] in
          takes.withLock { takes in
            takes.append(KitTake(around: make(), to: folder.file("\(compared)-\(takes.count).cassette")))
            return takes[takes.count - 1]
          }
        }, checks: [check])
      // A check that both fail shows the same transcript, because both have the same name.
      #expect(report.differences.isEmpty, "\(report)")
      // The first one is asked for its capabilities alone.
      let take = try #require(takes.withLock { $0.last })
      let entries = try await take.finish().entries
      #expect(entries.count == take.count, "\(check.name): \(entries.count) of \(take.count) exchanges are recorded")
      compared += 1
      recorded += entries.count
    }
    #expect(compared >= 150)
    #expect(recorded >= 700)
  }
}
