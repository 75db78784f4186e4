import LupineCore
import LupineSQLiteConnection
import LupineSession
import LupineSupport
import LupineTransfers

/// The transfers that run in this process: how they begin, and what their ends mean.
struct RunningTransfers {
  /// The result to store when a task has ended.
  enum Verdict {
    case now(QueueMachine.Ending)
    /// The database cannot be used now: the transfer runs again later.
    case later
  }

  /// The end of a task.
  enum TaskEnd: Sendable {
    case verdict(Verdict)
    /// A download has ended.
    ///
    /// A download of several exchanges is not simple: it may have begun several partial files.
    case downloaded(LupineError?, status: Int?, isSimple: Bool)
    case uploaded(Result<TransferResult, LupineError>)
  }

  private struct Running {
    let request: any SessionRequest
    let pacing: PacedRequest?
  }

  /// The bound on the bytes of all transfers; `nil` for none.
  private let pace: BytePace?
  private var running: [TransferID: Running] = [:]
  /// The sessions of the stored profiles.
  private var sessions = ProfileSessions()
  /// The tasks that wait until no transfer runs.
  private var waiting = WaitingTasks()
  /// The unfinished transfers of earlier processes, and those whose disk failed: they may have left files without a
  /// checkpoint.
  var interrupted: Set<TransferID> = []

  init(pace: BytePace?) { self.pace = pace }

  var isEmpty: Bool { running.isEmpty }

  /// Begins a transfer.
  ///
  /// - Returns: its task, which waits for its end.
  mutating func begin(
    _ id: TransferID, in opened: OpenedQueue?, _ settings: QueueSettings, _ progress: ProgressHub
  ) -> @Sendable () async -> TaskEnd {
    let row: TransferRow?
    do throws(SQLiteFailure) { row = try opened?.database.row(id) } catch { return { .verdict(.later) } }
    guard let opened else { return { .verdict(.later) } }
    switch TransferStart(row, in: opened, &sessions, settings, progress) {
    case .end(let ending): return { .verdict(.now(ending)) }
    case .placed(let ending, let staged):
      if interrupted.remove(id) != nil { Placement.removePartials(of: staged.path) }
      return { .verdict(Self.verdict(ofPlaced: ending)) }
    case .download(let download):
      insert(download, id)
      return {
        let response = await download.serializingFile().response
        return .downloaded(
          response.error, status: response.response?.status.code, isSimple: download.allMetrics.count == 1)
      }
    case .upload(let upload):
      insert(upload, id)
      return { .uploaded(await TransferRequests.result(of: upload)) }
    }
  }

  /// Decides what is stored after the end of a task; moves a complete download to its destination.
  ///
  /// - Parameter item: the transfer as the machine knows it.
  mutating func verdict(_ end: TaskEnd, of item: QueueMachine.Item?, in opened: OpenedQueue?) -> Verdict {
    switch end {
    case .verdict(let verdict): return verdict
    case .downloaded(nil, let status, let isSimple): return place(item, status, isSimple: isSimple, in: opened)
    case .uploaded(.success(let result)): return .now(.finished(result))
    case .downloaded(let error?, _, _), .uploaded(.failure(let error)):
      // A disk that fails may keep files that were to be removed.
      if error.kind == .fileFailed, let item { interrupted.insert(item.id) }
      return .now(QueueMachine.Ending(error, hasCredential: item?.credential != nil))
    }
  }

  private mutating func place(
    _ item: QueueMachine.Item?, _ status: Int?, isSimple: Bool, in opened: OpenedQueue?
  ) -> Verdict {
    // Not placed if it was paused, cancelled or removed at the last moment; the complete file stays for a resumption.
    guard let item, item.state == .running, !item.isRemoved else { return .now(.stopped) }
    guard let opened, let row = try? opened.database.row(item.id), let staged = StagedDownload(row) else {
      return .later
    }
    let ending = staged.place(status: status, in: opened.database)
    if interrupted.remove(item.id) != nil || !isSimple { Placement.removePartials(of: staged.path) }
    if let ending { return Self.verdict(ofPlaced: ending) }
    // Not downloaded again: that would come to the same end.
    let message = "The complete download \(staged.path) is gone, or its file system gives it to another user."
    return .now(.fileFailure(message))
  }

  /// A download is placed again later if the database could not be written.
  private static func verdict(ofPlaced ending: QueueMachine.Ending) -> Verdict {
    ending == .stopped ? .later : .now(ending)
  }

  /// The removal of the files of a transfer that has ended; `nil` if it cannot be read.
  mutating func discarding(
    _ id: TransferID, in opened: OpenedQueue?, _ settings: QueueSettings
  ) -> Discarding? {
    guard let opened, let row = try? opened.database.row(id) else { return nil }
    interrupted.remove(id)
    let session = try? sessions.session(for: row.record.profile, in: opened.database, settings)
    return Discarding(row, opened, settings, session ?? settings.session)
  }

  /// Paces a request, and keeps it until its end.
  private mutating func insert(_ request: any SessionRequest, _ id: TransferID) {
    let pacing = pace.map { PacedRequest($0) }
    pacing?.install(on: request)
    running[id] = Running(request: request, pacing: pacing)
  }

  mutating func remove(_ id: TransferID) {
    running.removeValue(forKey: id)?.pacing?.finish()
    if running.isEmpty { waiting.resumeAll() }
  }

  func cancel(_ id: TransferID) { running[id]?.request.cancel() }

  func cancelAll() { for running in running.values { running.request.cancel() } }

  /// Returns a waiter that is resumed when no transfer runs; `nil` if none does.
  mutating func waitUntilEmpty() -> Waiter<Void>? { running.isEmpty ? nil : waiting.add() }
}
