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
  func run() async {
    let name = QueueCheckpoints.name(of: row.id)
    if let download = StagedDownload(row) {
      await BlockingWork.run {
        DownloadRequest.discard(checkpoint: name, in: checkpoints)
        guard row.state != .finished else { return }
        if Placement.identity(of: download.path) != nil { Placement.removeStaged(download.path) }
        Placement.removePartials(of: download.path)
      }
    } else if row.state != .finished, let discard = settings.discardUpload {
      try? await discard(session, name, checkpoints)
    }
    if let form = row.record.formName { await BlockingWork.run { FormFile.remove(form, in: folder) } }
  }
}
