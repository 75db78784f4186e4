import Foundation
import Glibc
import LupineFixtures
import LupineSQLiteConnection

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
  static func wait(for completion: Int64, in folder: TemporaryFolder) throws {
    while try GroupCompletions(folder).ended < completion { sched_yield() }
  }
}
