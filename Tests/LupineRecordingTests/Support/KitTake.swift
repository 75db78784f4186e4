import FoundationEssentials
import LupineCore
import LupineRecording
import Synchronization

/// A recorder for a check of the conformance kit, which counts the exchanges that are to be recorded.
final class KitTake: WrappingTransport {
  private let recorder: RecordingTransport
  private let counter: Counter

  var base: any Transport { recorder }
  var path: String { recorder.recording.path }

  init(around base: any Transport, to path: String) {
    counter = Counter(base: base)
    var options = RecordingOptions()
    // A check receives a body in this coding as it is.
    options.redaction = [.harmless(coding: "deflate")]
    recorder = RecordingTransport(around: counter, to: path, options: options)
  }

  /// The number of exchanges that the transport has begun.
  var count: Int { counter.count.withLock { $0 } }

  /// Completes the cassette.
  func finish() async throws(LupineError) -> Cassette {
    try await recorder.recording.finish()
    if count == 0 { return Cassette(header: Cassette.Header(date: .now, capabilities: capabilities)) }
    return try Cassette(contentsOf: path)
  }

  /// Counts the exchanges, without the requests that the transport refuses before it sends a byte.
  private final class Counter: WrappingTransport {
    let base: any Transport
    let count = Mutex(0)

    init(base: any Transport) { self.base = base }

    func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
      do throws(LupineError) {
        let response = try await base.send(request, in: context)
        count.withLock { $0 += 1 }
        return response
      } catch {
        if ![.invalidRequest, .limitExceeded(.requestFields)].contains(error.kind) { count.withLock { $0 += 1 } }
        throw error
      }
    }
  }
}
