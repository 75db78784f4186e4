import FoundationEssentials
import LupineMock
import LupineSession
import LupineTransferQueue
import Row

/// Measures how many of 1,000 transfers a queue adds and ends per second of processor time, over the mock:
/// `queue-throughput ROUNDS [COUNT]`.
///
/// With 1,000 transfers, the process may use 30 MB in the first round; in later ones it also has what the memory allocator
/// has kept of the rounds before. With more, 1,000 of them are downloaded, so that both counts can be compared: the end of
/// one transfer must not cost more among many.
@main enum QueueThroughput {
  private static let ended = 1_000
  private static let mostMemory = 30_000

  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let count = numbers.dropFirst().first ?? ended
    guard let rounds = numbers.first, count >= ended else {
      throw WorkError("queue-throughput ROUNDS [COUNT]")
    }
    var (adding, ending, opening) = (
      Rates("\(count) added in one transaction"), Rates("\(ended) downloads to their ends, of \(count)"),
      Rates("\(count) taken up again")
    )
    var peak = 0
    for round in 0..<rounds {
      let folder = (Work.variable("TMPDIR") ?? "/tmp") + "/queue-\(round)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let (added, opened, ended) = try await measure(folder, count)
      adding.values.append(added)
      opening.values.append(opened)
      ending.values.append(ended)
      if round == 0 { peak = Cost.now.peak }
    }
    for rates in [adding, opening, ending] { rates.report() }
    guard count == ended else { return }
    guard peak <= mostMemory else { throw WorkError("the queue needs \(peak / 1_000) MB, and may use 30") }
  }

  /// The rates of one round.
  private static func measure(
    _ folder: String, _ count: Int
  ) async throws -> (added: Double, opened: Double, ended: Double) {
    let mock = MockTransport()
    mock.stub(.get, "/{name}", .data(Data(repeating: 0x61, count: 1_000)))
    let session = try Session.Builder().transport(mock).build()
    let transfers = (0..<count).map { number in
      QueuedTransfer.download("https://example.com/\(number)", to: .file("\(folder)/\(number)"))
    }
    let idle = TransferQueue.Configuration { $0.network = NoNetwork() }
    let first = try TransferQueue(at: folder + "/queue", session: session, configuration: idle)
    _ = try await first.isRunner
    let begin = Cost.now
    try await first.add(transfers)
    let added = Cost.now
    await first.close()
    let closed = Cost.now
    let second = try TransferQueue(at: folder + "/queue", session: session)
    _ = try await second.isRunner
    let opened = Cost.now
    var left = Self.ended
    for await event in second.events {
      try await second.acknowledge(event)
      left -= 1
      if left == 0 { break }
    }
    let end = Cost.now
    await second.close()
    return (
      Double(count) / (added - begin).processor, Double(count) / (opened - closed).processor,
      Double(Self.ended) / (end - opened).processor
    )
  }
}

/// There is no network, so that nothing starts.
private struct NoNetwork: NetworkConditionsSource {
  var conditions: NetworkConditions { NetworkConditions(.unavailable) }
  func conditionUpdates() -> AsyncStream<NetworkConditions> { AsyncStream { $0.yield(conditions) } }
}
