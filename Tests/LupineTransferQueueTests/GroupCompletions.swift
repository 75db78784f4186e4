import Foundation
import LupineFixtures
import LupineMock
import LupineSQLiteConnection
import LupineSession
import LupineTransferQueue

/// The completions of the group `g` in the folder of a `ProbeRun`, as the database has them.
struct GroupCompletions: Equatable {
  var all: Int64 = 0
  /// The number of those whose hook has ended.
  var ended: Int64 = 0

  init(_ folder: TemporaryFolder) throws {
    let path = folder.file("queue/transfers.sqlite")
    guard FileManager.default.fileExists(atPath: path) else { return }
    let connection = try Connection(path, patience: .seconds(5))
    // A process that was killed early has made no tables.
    guard let hooks = try? Statement("SELECT completions, ended FROM hooks", on: connection) else { return }
    (all, ended) = try hooks.first([]) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  /// Waits until the hook of this completion has ended.
  static func wait(for completion: Int64, in folder: TemporaryFolder) async throws {
    let session = try Session.Builder().transport(MockTransport()).build()
    let queue = try TransferQueue(
      at: folder.file("queue"), session: session,
      configuration: TransferQueue.Configuration { $0.runsTransfers = false })
    while try GroupCompletions(folder).ended < completion {
      // Ends as well while no process runs the transfers, because another one is taking over.
      for await _ in queue.updates { if try GroupCompletions(folder).ended >= completion { break } }
    }
    await queue.close()
  }
}
