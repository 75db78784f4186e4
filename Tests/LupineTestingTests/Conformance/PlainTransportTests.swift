import LupineCore
import LupineTesting
import Testing

/// Checks that the transport passes without a defect, and fails with one.
@Suite struct PlainTransportTests {
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (PlainTransport.Defect.omitsSent, "a request without a body is reported as sent, once"),
      (.omitsSent, "an empty body is reported as sent, once"),
      (.reportsSentTwice, "a body of known length is reported as sent, once"),
      (.reportsSentTwice, "a body of unknown length is reported as sent, once"),
      (.keepsSurplus, "bytes after the last chunk does not answer the next request"),
      (.sendsRefusedBody, "a body that waits for 100 never reaches a peer that sends 413"),
      (.sendsRefusedBody, "a body that waits for 100 never reaches a peer that sends 417"),
      (.interimReleasesBody, "a body that waits for 100 never reaches a peer that sends 413 after a 103"),
      (.ignoresExpectField, "a body that waits for 100 by its field never reaches a peer that sends 403"),
      (.keepsAfterEarlyAnswer, "no request is sent within an upload that a complete 2xx has answered"),
      (.neverCancelsBody, "an answer with an error ends the upload although the peer leaves the connection open"),
      (.neverCancelsBody, "the request's body of a cancelled exchange is cancelled"),
      (.ownError, "a cancelled exchange ends with the reason of its control, with its message"),
      (.retainsContext, "the context of an exchange that is complete is released"),
      (.retainsContext, "the context of an exchange that failed before its head is released"),
      (.retainsContext, "the context of an exchange that was cancelled within its body is released"),
      (.ignoresShutdown, "a shutdown returns after the ends of all bodies"),
      (
        .failsHeldBackBody,
        "a body of known length is whole although its connection ended while its consumer held it back"
      ),
      (.resetEndsBody, "a connection that is reset within a body of unknown length fails the body"),
      (.ignoresRequestClose, "a request with `Connection: close` ends its connection"),
      (.ignoresResponseClose, "`close` in a list is respected although the peer leaves the connection open"),
      (.sendsInClear, "without TLS no connection is made for an https URL"),
      (.repeatsHost, "a Host field of the request replaces the default one"),
      (.ignoresVersion, "a version of HTTP that the transport does not support is refused before a byte is sent"),
      (.omitsNameResolved, "a host's name is resolved, and its addresses are tried in turn"),
      (.omitsRequestSent, "metrics report times in their order"),
    ])
  func `a defect is found`(defect: PlainTransport.Defect, name: String) async throws {
    let check = try #require(ConformanceKit.checks.first { $0.name == name })
    try await check.run { PlainTransport() }
    let failure = await #expect(throws: ConformanceFailure.self) { try await check.run { PlainTransport(defect) } }
    #expect(failure?.check == name)
    // The failure must have another cause than the cancellation of the check.
    #expect(failure?.got.contains("CancellationError") == false)
  }

  /// The test cancels the check when the transport begins to wait forever.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      (
        PlainTransport.Defect.waitsForContinue,
        "a body is sent after a while if the peer sends neither 100 nor a response"
      ),
      (.holdsUploadBack, "a request's body goes out while the consumer holds the response back"),
      (.waitsAfterRefusal, "an answer with an error ends the upload although the peer leaves the connection open"),
    ])
  func `a transport that waits for ever is found`(defect: PlainTransport.Defect, name: String) async throws {
    let check = try #require(ConformanceKit.checks.first { $0.name == name })
    try await check.run { PlainTransport() }
    let stuck = Gate()
    let running = Task { try await check.run { PlainTransport(defect, stuck: stuck) } }
    try await stuck.opened()
    running.cancel()
    await #expect(throws: ConformanceFailure.self) { try await running.value }
  }
}
