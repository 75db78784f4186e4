import LupineCore
import LupineSession
import LupineTransfers

/// The removal of the files of a transfer that has ended.
struct Discarding: Sendable {
  let row: TransferRow
  let folder: QueueFolder
  let checkpoints: QueueCheckpoints
  let settings: QueueSettings
  let session: Session

  init(_ row: TransferRow, _ opened: OpenedQueue, _ settings: QueueSettings, _ session: Session) {
    self.row = row
    self.settings = settings
    self.session = session
    folder = opened.folder
    checkpoints = opened.checkpoints
  }

  /// Removes the files, and deletes an unfinished upload at its server.
  ///
  /// - Returns: false if the disk keeps a file of a download.
  func run() async -> Bool {
    let name = QueueCheckpoints.name(of: row.id)
    var areGone = true
    if let staged = StagedDownload(row) {
      areGone = await BlockingWork.run {
        DownloadRequest.discard(checkpoint: name, in: checkpoints)
        guard row.state != .finished else { return true }
        let isStagedGone = Placement.identity(of: staged.path) == nil || Placement.removeStaged(staged.path)
        return Placement.removePartials(of: staged.path) && isStagedGone
      }
    } else if row.state != .finished, let discard = settings.discardUpload {
      try? await discard(session, name, checkpoints)
    }
    if let form = row.record.formName { await BlockingWork.run { FormFile.remove(form, in: folder) } }
    return areGone
  }
}
