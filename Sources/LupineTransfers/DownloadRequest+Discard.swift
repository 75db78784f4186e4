public import FoundationEssentials
public import LupineCore

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
