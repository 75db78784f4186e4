import Foundation
import LupineCore
import LupineMock
import LupineSession
import LupineTransferQueue
import LupineTransfers

/// A runner, and the programs beside it.
struct RunnerScript {
  static let group = "g"

  let script: QueueScript

  /// Runs the transfers until the input ends.
  func run() async throws {
    let runner = try TransferRunner(at: script.queue, configuration: script.configuration, clock: ImmediateClock()) {
      _ in
      try script.session()
    }
    Thread.detachNewThread {
      // Not `readLine`, which holds a lock that flushing all streams needs.
      while !FileHandle.standardInput.availableData.isEmpty {}
      runner.stop()
    }
    try await runner.run { QueueScript.say("ready") }
  }

  /// Adds transfers if the queue is empty and may be filled, and acknowledges events until all transfers are gone.
  func beside(_ count: Int, mayAdd: Bool) async throws {
    let queue = try script.open(clock: QuickClock())
    if mayAdd, try await queue.transfers.isEmpty { try await add(count, to: queue) }
    QueueScript.say("added")
    while try await !queue.transfers.isEmpty {
      for await transfers in queue.updates {
        try await acknowledge(queue)
        if transfers.isEmpty { break }
      }
      // The runner may be gone.
      try await queue.takeOver()
    }
    script.check(0..<count)
    await queue.close()
  }

  private func add(_ count: Int, to queue: TransferQueue) async throws {
    try await queue.setHook(["\(script.folder)/hook"], forGroup: Self.group)
    try await queue.add(
      (0..<count).map { number in
        var transfer = try script.transfer(number)
        transfer.group = Self.group
        return transfer
      })
  }

  /// Adds transfers, and runs none.
  func fill(_ count: Int) async throws {
    let queue = try visitor()
    try await add(count, to: queue)
    await queue.close()
  }

  private func visitor() throws -> TransferQueue {
    try TransferQueue(
      at: script.queue, session: script.session(),
      configuration: TransferQueue.Configuration { $0.runsTransfers = false })
  }

  private func acknowledge(_ queue: TransferQueue) async throws {
    for event in try await queue.unacknowledgedEvents {
      QueueScript.say("event \(event.number) \(event.transfer) \(Self.name(event.kind))")
      try await queue.acknowledge(event)
      QueueScript.say("acknowledged \(event.number)")
    }
  }

  private static func name(_ kind: TransferEvent.Kind) -> String {
    switch kind {
    case .finished: "finished"
    case .failed(let failure): "failed: \(failure)"
    case .cancelled: "cancelled"
    case .needsCredential: "needsCredential"
    }
  }

  /// Prints what has arrived.
  func hear(of group: String) async throws {
    let queue = try visitor()
    QueueScript.say("group \(group)")
    try await acknowledge(queue)
    await queue.close()
  }
}
