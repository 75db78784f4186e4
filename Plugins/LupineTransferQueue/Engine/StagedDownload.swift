import LupineCore
import LupineSQLiteConnection
import LupineTransfers

/// A download under the queue's own name, before the move to its destination.
struct StagedDownload {
  let row: TransferRow
  /// The path of the complete download under the queue's own name.
  let path: String
  let destination: QueuedTransfer.Destination

  init(_ row: TransferRow, to destination: QueuedTransfer.Destination) {
    self.row = row
    self.destination = destination
    path = row.record.stagedPath(destination, row.id)
  }

  /// Returns `nil` for an upload.
  init?(_ row: TransferRow) {
    guard case .download(let destination, _, _) = row.record.content else { return nil }
    self.init(row, to: destination)
  }

  /// The end of a download that must not begin, because there is a file at its destination; `nil` if it may begin.
  var occupiedEnding: QueueMachine.Ending? {
    guard !destination.options.contains(.removePreviousFile), FileStatus.of(destination.path) != nil else { return nil }
    return .failed(TransferFailure(Placement.occupied(destination.path)), .other)
  }

  /// The size of a complete download that is not at its destination yet; `nil` if it is not complete.
  var completeSize: Int64? {
    guard !row.staged.isEmpty, Placement.identity(of: path) == row.staged else { return nil }
    return FileStatus.of(path)?.size
  }

  /// Stores the identity of the download, and moves it to its destination.
  ///
  /// - Returns: the end of the transfer; `.stopped` if the database cannot be written now, and `nil` if the download is
  ///   not complete.
  func place(status: Int?, in database: QueueDatabase) -> QueueMachine.Ending? {
    let finished = QueueMachine.Ending.finished(TransferResult(path: destination.path, status: status))
    guard let identity = Placement.identity(of: path) else {
      guard !row.staged.isEmpty, Placement.identity(of: destination.path) == row.staged else { return nil }
      // Moved by a process that ended before it could store the end, or before the folder was flushed.
      do throws(LupineError) { try QueueFolder.flushFolder(above: destination.path) } catch {
        return .failed(TransferFailure(error), .other)
      }
      return finished
    }
    if identity == row.staged, Placement.identity(of: destination.path) == identity {
      Placement.removeStaged(path)
      return finished
    }
    do throws(LupineError) {
      if row.staged != identity {
        // The download is complete; it is placed once the database can be written.
        do throws(SQLiteFailure) { try database.store(row.id, staged: identity) } catch { return .stopped }
      }
      try Placement.move(path, to: destination.path, replacing: destination.options.contains(.removePreviousFile))
      return finished
    } catch {
      return .failed(TransferFailure(error), .other)
    }
  }
}
