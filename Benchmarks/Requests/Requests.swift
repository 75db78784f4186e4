import Glibc
import HTTPTypes
import LupineCore
import LupineSession
import LupineStreams
import LupineTransfers
import Row

/// Sends the requests of a workload, of every kind.
public struct Requests: Sendable {
  let session: Session
  let transport: any Transport
  let work: Work
  private let numbers = Counter()
  /// The URLs of the eight origins of `spread`.
  private let urls: [String]

  init(session: Session, transport: any Transport, work: Work) {
    self.session = session
    self.transport = transport
    self.work = work
    let parts = work.url.split(separator: "#")
    urls = (0..<8).map { number in parts.joined(separator: "\(number)") }
  }

  func make() async throws {
    switch work.kind {
    case .get: _ = try await session.request(work.url).validate().serializingData().value
    case .each: _ = try await session.request("\(work.url)?\(numbers.take())").validate().serializingData().value
    case .spread:
      _ = try await session.request(urls[numbers.take() % urls.count]).validate().serializingData().value
    case .decode: _ = try await session.request(work.url).validate().serializingDecodable(Article.self).value
    case .discard: try await discard()
    case .file:
      let destination = DownloadDestination.file(work.path, [.removePreviousFile])
      _ = try await session.download(work.url, to: destination).validate().serializingFile().value
    case .stream: for try await _ in session.streamRequest(work.url).validate().serializingBytes() {}
    case .put:
      _ = try await session.upload(.file(work.path), to: work.url, method: .put).validate().serializingData().value
    case .putStream:
      _ = try await session.upload(stream(), to: work.url, method: .put).validate().serializingData().value
    case .form: throw WorkError("forms have a row of their own")
    }
  }

  /// Opens the connections that stay idle during the measurement.
  func leaveIdle() async throws {
    guard work.idle > 0 else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<work.idle {
        group.addTask { _ = try await session.request(work.idleURL).validate().serializingData().value }
      }
      try await group.waitForAll()
    }
    let idle = await transport.connectionPool()?.idle ?? 0
    guard idle >= work.idle else { throw WorkError("\(idle) connections are idle and not \(work.idle)") }
  }

  /// The bytes of FILE as a stream, in pieces of the same size as in the row of AsyncHTTPClient.
  private func stream() throws -> RequestBody {
    let descriptor = open(work.path, O_RDONLY)
    var facts = stat()
    guard descriptor >= 0, fstat(descriptor, &facts) == 0 else { throw WorkError("\(work.path) cannot be read") }
    let pieces = AsyncStream<[UInt8]>(unfolding: {
      let piece = [UInt8](unsafeUninitializedCapacity: 256 << 10) {
        $1 = max(0, read(descriptor, $0.baseAddress, $0.count))
      }
      if piece.isEmpty { close(descriptor) }
      return piece.isEmpty ? nil : piece
    })
    return .oneShot(length: Int64(facts.st_size), pieces)
  }

  /// Sends a request and discards the body of the response.
  ///
  /// It uses the transport without a session, because no request of a session discards its body.
  private func discard() async throws {
    let context = TransferContext(id: RequestID(1)) { _ in .discard(limit: .max) }
    let response = try await transport.send(OutgoingRequest(url: HTTPURL(work.url)), in: context)
    guard response.head.status.kind == .successful else { throw WorkError("status \(response.head.status)") }
    _ = try await response.body.end()
  }
}
