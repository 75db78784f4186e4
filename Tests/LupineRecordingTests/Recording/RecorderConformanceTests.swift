import LupineCore
import LupineCurl
import LupineFixtures
import LupineNative
import LupineRecording
import LupineTesting
import Synchronization
import Testing

/// A recorder changes nothing of what the transport inside it does.
@Suite(.timeLimit(.minutes(3))) struct RecorderConformanceTests {
  @Test(arguments: [false, true]) func `a transport and a recorder around it do not differ`(isNative: Bool) async throws
  {
    let folder = try TemporaryFolder()
    let count = Atomic<Int>(0)
    let make: @Sendable () -> any Transport = { isNative ? NativeTransport() : CurlTransport() }
    let report = try await ConformanceKit.differences(
      between: ConformanceSubject("The transport", transport: make),
      and: ConformanceSubject("The recorder") {
        let number = count.add(1, ordering: .relaxed).newValue
        return RecordingTransport(around: make(), to: folder.file("\(number).cassette"))
      })
    #expect(report.differences.isEmpty, "\(report)")
    #expect(report.compared >= 90)
  }
}
