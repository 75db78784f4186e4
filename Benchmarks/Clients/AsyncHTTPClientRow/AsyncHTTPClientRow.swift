import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOSSL
import Row

/// The row of AsyncHTTPClient, which is used as its documentation recommends.
@main struct AsyncHTTPClientRow {
  let client: HTTPClient
  let work: Work
  private let decoder = JSONDecoder()

  static func main() { Work.run(measure) }

  private static func measure(_ work: Work) async throws {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = work.concurrency
    if let authorities = work.authorities {
      var trust = TLSConfiguration.makeClientConfiguration()
      trust.trustRoots = .file(authorities)
      configuration.tlsConfiguration = trust
    }
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let row = AsyncHTTPClientRow(client: client, work: work)
    try await work.measure { try await row.request() }
    try await client.shutdown()
  }

  private func request() async throws {
    var request = HTTPClientRequest(url: work.url)
    if work.kind == .put || work.kind == .putStream {
      request.method = .PUT
      let reading = try Reading(path: work.path)
      request.body = .stream(reading, length: .known(reading.length))
    }
    let response = try await client.execute(request, deadline: .distantFuture)
    guard (200..<300).contains(response.status.code) else { throw WorkError("status \(response.status)") }
    switch work.kind {
    case .get, .put, .putStream: _ = try await response.body.collect(upTo: 1 << 20)
    case .discard, .stream: for try await _ in response.body {}
    case .file: try await write(response.body)
    case .decode:
      let bytes = try await response.body.collect(upTo: 1 << 20)
      _ = try decoder.decode(Article.self, from: Data(bytes.readableBytesView))
    case .each, .spread, .form: throw WorkError("it is measured with one URL, and not with forms")
    }
  }

  private func write(_ body: HTTPClientResponse.Body) async throws {
    let descriptor = open(work.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    for try await piece in body {
      let count = piece.withUnsafeReadableBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count == piece.readableBytes else { throw WorkError("\(work.path) cannot be written") }
    }
  }
}
