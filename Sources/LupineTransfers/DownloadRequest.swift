public import FoundationEssentials
public import HTTPTypes
public import LupineCore
public import LupineSession
import Synchronization

/// A request whose response is written to a file.
public struct DownloadRequest: SessionRequest {
  /// The execution that the copies share.
  public let handle: RequestHandle
  let consumer: DownloadConsumer

  init(_ task: RequestExecution, _ consumer: DownloadConsumer) {
    handle = RequestHandle(task: task)
    self.consumer = consumer
  }
}

extension DownloadRequest {
  /// Compares the file with a digest before it is put in its place; another one ends the download with kind
  /// `digestMismatch`, and the file is removed.
  ///
  /// The whole file is read again for it, also what an earlier download brought. A text that is no digest ends the
  /// download with kind `invalidRequest`, before anything is sent.
  @discardableResult
  public func expecting(_ digest: ExpectedDigest) -> Self {
    consumer.state.withLock { $0.digest = digest }
    return self
  }

  /// Sets the most bytes that the file may have, after decoding; a longer one fails with kind `limitExceeded(.sink)`: at the
  /// head where that tells its length, else as soon as there are more.
  ///
  /// Default: no bound.
  @discardableResult
  public func sizeLimit(_ bytes: Int64) -> Self {
    consumer.state.withLock { $0.sizeLimit = max(0, bytes) }
    return self
  }

  /// Asks for another URL where the server answers 401, 403, 404 or 410, as to one that was signed and has expired.
  ///
  /// Asked once in each attempt, with the head of the answer. The download goes on from where it was, where the server
  /// behind the new URL has the same file. Secret fields and credentials do not go to another origin, nor do
  /// they in a retry, which goes to the fresh URL at once. What the closure throws ends the attempt; a `LupineError` is
  /// passed on as it is.
  @discardableResult
  public func refreshingURL(_ refresh: @escaping @Sendable (HTTPResponse) async throws -> any URLConvertible) -> Self {
    consumer.state.withLock { $0.refresh = refresh }
    return self
  }

  /// Keeps what is needed to go on in a file, so that the download goes on after its program was ended, however that was.
  ///
  /// A download with the same URL and the same checkpoint takes up what is there. The file is written when the head arrives,
  /// readable by its owner alone, because it holds the URL; it is removed with the download's end, unless the download can
  /// be resumed. Call it before the download starts.
  ///
  /// Where what the checkpoint tells of cannot be gone on with, as where the server has another file now, the download begins
  /// anew, unless `otherwise: .fail` is given: then it fails with kind `resumeFailed`, and the checkpoint and what there is
  /// of the file stay as they were. That holds for a file at the path that is no checkpoint, too; where there is none, or
  /// that of another URL, the download begins.
  ///
  /// Each download needs a checkpoint of its own: one of another's that runs, or that can be gone on with, stays that one's
  /// until it has ended or is given up with `discard(checkpoint:)`. A file that is no checkpoint stays, too, but for an empty
  /// one. This download then has none, as a warning among the events says.
  ///
  /// After a power cut the download goes on from what the disk has of the file. A file system that orders no data before
  /// lengths, such as ext4 with `data=writeback`, may have lost bytes in the midst of it: `expecting` a digest finds that.
  ///
  /// - Parameters:
  ///   - path: where the checkpoint is kept.
  ///   - policy: what happens when the rest cannot be had. Default: restart.
  @discardableResult
  public func checkpoint(_ path: String, otherwise policy: ResumePolicy = .restart) -> Self {
    let url = try? task.description.get().url.string
    consumer.state.withLock { state in
      if policy == .fail { state.policy = .fail }
      state.take(Checkpoint(path: path), of: url)
    }
    return self
  }

  /// Goes on by itself where the connection breaks off, without any other retrier.
  ///
  /// - Parameters:
  ///   - limit: how many attempts in a row may bring nothing new. Default: 5.
  ///   - delay: the wait before the first of them, on the session's clock; it doubles from one to the next, up to a minute.
  ///     Default: one second.
  ///   - policy: what happens when the rest cannot be had, as where the server has another file by then. Default: restart.
  @discardableResult
  public func resumesAutomatically(
    limit: Int = 5, delay: Duration = .seconds(1), otherwise policy: ResumePolicy = .restart
  ) -> Self {
    if policy == .fail { consumer.state.withLock { $0.policy = .fail } }
    return retrier(ResumingRetrier(consumer: consumer, limit: limit, delay: delay))
  }
}

extension DownloadRequest {
  /// Gives up an interrupted download: removes the partial file that it left.
  ///
  /// A file that is gone, or that a download is writing now, is left alone.
  ///
  /// - Parameter resumeData: what the interrupted download's error carried.
  /// - Throws: `LupineError` of kind `resumeFailed` for what is no resume data.
  public static func discard(_ resumeData: Data) throws(LupineError) {
    PartialFile.reopen(try ResumeState(decoding: resumeData).partialPath, length: nil)?.remove()
  }

  /// Gives up a download whose program ended: removes its checkpoint, and the partial file that it left.
  ///
  /// A file that is no checkpoint, and a partial file that a download is writing now, are left alone.
  ///
  /// - Parameter path: what `checkpoint(_:)` was given.
  public static func discard(checkpoint path: String) {
    let checkpoint = Checkpoint(path: path)
    guard case .state(let state) = checkpoint.read() else { return }
    state.removeSuperseded()
    PartialFile.reopen(state.partialPath, length: nil)?.remove()
    checkpoint.remove()
  }
}
