import LupineCore
import LupineSession
import LupineTransfers

/// The work that begins when a transfer has its turn.
enum TransferStart {
  /// The transfer ends before it begins.
  case end(QueueMachine.Ending)
  /// An earlier process has downloaded the file, which was placed now.
  case placed(QueueMachine.Ending, StagedDownload)
  case download(DownloadRequest)
  case upload(any ValueRequest)

  /// - Parameters:
  ///   - row: `nil` if there is none that can be read.
  ///   - sessions: makes the session of the transfer.
  init(
    _ row: TransferRow?, in opened: OpenedQueue, _ sessions: inout ProfileSessions, _ settings: QueueSettings,
    _ progress: ProgressHub
  ) {
    guard let row, let request = row.record.request else {
      self = .end(.fileFailure("The description of the transfer cannot be read."))
      return
    }
    do throws(LupineError) {
      try Self.checkURL(of: row, settings)
      let requests = TransferRequests(
        row: row, checkpoints: opened.checkpoints, settings: settings,
        session: try sessions.session(for: row.record.profile, in: opened.database, settings), progress: progress)
      switch row.record.content {
      case .download(let destination, let digest, let limit):
        self = Self.download(StagedDownload(row, to: destination), in: opened) { staged in
          requests.download(request, to: staged.path, destination.options, digest, limit)
        }
      case .file(let path): self = .upload(requests.upload(request, path))
      case .form(let name): self = .upload(requests.upload(request, "\(opened.folder.forms)/\(name)"))
      }
    } catch {
      self = .end(.failed(TransferFailure(error), .other))
    }
  }

  private static func download(
    _ staged: StagedDownload, in opened: OpenedQueue, _ request: (StagedDownload) -> DownloadRequest
  ) -> TransferStart {
    if let ending = staged.place(status: nil, in: opened.database) { return .placed(ending, staged) }
    // Before the download, not after it.
    if let ending = staged.occupiedEnding { return .end(ending) }
    return .download(request(staged))
  }

  /// The stored URL of a transfer that asks for its URL is not sent.
  private static func checkURL(of row: TransferRow, _ settings: QueueSettings) throws(LupineError) {
    guard row.record.asksForURL, settings.refreshURL == nil else { return }
    throw LupineError(
      .invalidRequest,
      "The transfer asks for its URL, but the process that runs the transfers has no refreshURL; the stored URL is "
        + "not sent. Resume the transfer when the program runs its transfers.")
  }
}

extension QueueMachine.Ending {
  static func fileFailure(_ message: String) -> QueueMachine.Ending {
    .failed(TransferFailure(kind: "fileFailed", message: message), .other)
  }

  /// The end of a transfer by an error.
  ///
  /// - Parameter hasCredential: whether the transfer names a credential.
  init(_ error: LupineError, hasCredential: Bool) {
    let cause: QueueMachine.Cause =
      switch error.kind {
      case _ where error.isLostConnection: .connection
      case .missingCredential: .credential
      case .unacceptableStatusCode(401), .unacceptableStatusCode(407): hasCredential ? .credential : .other
      default: .other
      }
    self = .failed(TransferFailure(error), cause)
  }
}
