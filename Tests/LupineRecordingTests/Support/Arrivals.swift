import LupineCore
import LupineMock
import LupineRecording
import Synchronization

/// Keeps the times and sizes of the pieces of bodies, on a virtual clock.
final class Arrivals: WrappingTransport {
  let base: any Transport
  private let clock: ImmediateClock
  private let chunks = Mutex<[Cassette.Chunk]>([])

  init(base: any Transport, clock: ImmediateClock) {
    self.base = base
    self.clock = clock
  }

  var all: [Cassette.Chunk] { chunks.withLock { $0 } }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    try await base.send(
      request,
      in: context.observingArrivals { [self] count in
        let chunk = Cassette.Chunk(after: clock.now.offset, count: count)
        chunks.withLock { $0.append(chunk) }
      })
  }
}
