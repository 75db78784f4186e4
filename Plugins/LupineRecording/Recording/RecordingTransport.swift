public import LupineCore

/// Records the exchanges of another transport into a cassette, and changes none of them.
///
/// It stands below redirects, challenges, cookies, retries and decoding, so the cassette has each exchange as the server
/// saw it, with interim responses, the pieces of the body and their times, trailers, and errors.
///
/// It records the exchanges of sessions. An exchange whose context names the destination of the body, as a test of a
/// transport does, fails the recording.
public struct RecordingTransport: WrappingTransport {
  /// The transport that makes the exchanges.
  public let base: any Transport
  /// The recording, which `Recording.finish(waiting:)` completes.
  public let recording: Recording

  /// Records the exchanges of a transport into a cassette of its own.
  ///
  /// - Parameter path: the path of the cassette, whose folder exists.
  public init(around base: any Transport, to path: String, options: RecordingOptions = RecordingOptions()) {
    self.init(around: base, in: Recording(to: path, options: options))
  }

  /// Records the exchanges of a transport into a recording that other transports may share.
  public init(around base: any Transport, in recording: Recording) {
    self.base = base
    self.recording = recording
  }

  /// Makes the exchange over `base`, and records it; or plays it, if the recording adds only what its cassette lacks.
  ///
  /// - Throws: the error of `base`, or of the exchange that is played.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    guard let open = await recording.opened() else { return try await base.send(request, in: context) }
    if let player = open.player, let response = try await player.playIfRecorded(request, in: context) {
      return response
    }
    guard let collector = recording.begin(request, in: context, over: base) else {
      return try await base.send(request, in: context)
    }
    do throws(LupineError) {
      let response = try await base.send(collector.observedRequest, in: collector.observed(context))
      collector.receive(response, in: context, open.bodies)
      return response
    } catch {
      collector.receive(error)
      throw error
    }
  }
}
