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
  /// The checks whose transcripts depend on how much has been sent before the answer arrives.
  private static let timing: Set = [
    "a response is received although the peer reads nothing of a large body",
    "no request is sent within an upload that a complete 2xx has answered",
    "an answer with an error ends the upload although the peer leaves the connection open",
    "a response that arrives before the body was sent is returned",
    // libcurl discards the content of a 417 in order to send again.
    "a 417 in place of 100 leaves the body unsent",
  ]

  @Test(arguments: [false, true]) func `a transport and a recorder around it do not differ`(isNative: Bool) async throws
  {
    let folder = try TemporaryFolder()
    let count = Atomic<Int>(0)
    let make: @Sendable () -> any Transport = { isNative ? NativeTransport() : CurlTransport() }
    let report = try await ConformanceKit.differences(
      between: ConformanceSubject("The transport", transport: make),
      and: ConformanceSubject("The transport") {
        let number = count.add(1, ordering: .relaxed).newValue
        return RecordingTransport(around: make(), to: folder.file("\(number).cassette"))
      }, checks: ConformanceKit.checks)
    // A check that both fail shows the same transcript, because both have the same name.
    #expect(report.differences.isEmpty, "\(report)")
    #expect(report.compared >= 90)
  }
}
