public import HTTPTypes
import Synchronization

extension DownloadRequest {
  /// Compares the file with a digest before it is put in its place; another one ends the download with kind
  /// `digestMismatch`, and the file is removed.
  ///
  /// The whole file is read again for it, also what an earlier download brought.
  @discardableResult
  public func expecting(_ digest: ExpectedDigest) -> Self {
    consumer.state.withLock { $0.digest = digest }
    return self
  }

  /// Sets the most bytes that the file may have, after decoding; a longer one fails with kind `limitExceeded(.sink)`.
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
  /// behind the new URL has the same file. Secret fields do not go to another origin. What the closure throws ends the
  /// attempt; a `LupineError` is passed on as it is.
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
  /// After a power cut the download goes on from what the disk has of the file. A file system that orders no data before
  /// lengths, such as ext4 with `data=writeback`, may have lost bytes in the midst of it: `expecting` a digest finds that.
  @discardableResult
  public func checkpoint(_ path: String) -> Self {
    let checkpoint = Checkpoint(path: path)
    let url = try? task.description.get().url.string
    consumer.state.withLock { state in
      state.checkpoint = checkpoint
      if let resume = checkpoint.read(), resume.url == url, state.partial == nil { state.take(resume) }
    }
    return self
  }

  /// Goes on by itself where the connection breaks off, without any other retrier.
  ///
  /// - Parameters:
  ///   - limit: how many attempts in a row may bring nothing new. Default: 5.
  ///   - delay: the wait before the first of them, on the session's clock; it doubles from one to the next, up to a minute.
  ///     Default: one second.
  @discardableResult
  public func resumesAutomatically(limit: Int = 5, delay: Duration = .seconds(1)) -> Self {
    retrier(ResumingRetrier(consumer: consumer, limit: limit, delay: delay))
  }
}
