extension DownloadState {
  /// Takes up what a checkpoint says of this URL; one of another URL says nothing.
  mutating func take(_ checkpoint: Checkpoint, of url: String?) {
    self.checkpoint = checkpoint
    guard partial == nil else { return }
    switch checkpoint.read() {
    case .nothing: break
    case .unusable: obstacle = "what is at \(checkpoint.path) is no checkpoint of this release and of this user alone"
    case .state(let resume):
      guard resume.url == url else { return }
      take(resume)
      isNoted = partial != nil
    }
  }

  /// Keeps in the checkpoint what goes on with the file, where that is not known there.
  ///
  /// A checkpoint that another running download keeps stays that one's.
  mutating func note() throws(LupineError) {
    guard let checkpoint, !isNoted else { return }
    if let other = foreignPath, PartialFile.isInUse(other) {
      let text = "another download keeps the checkpoint \(checkpoint.path), so this one has none; give each its own"
      decision = decision ?? .warning(text)
      return
    }
    if let resume = resumeState(offset: nil) {
      try checkpoint.write(resume)
      notedPath = resume.partialPath
    } else if previous == nil {
      removeCheckpoint()
    }
    isNoted = true
  }

  /// Removes the checkpoint, unless it tells of another download's partial file that is there.
  func removeCheckpoint() {
    guard let checkpoint, foreignPath.map({ !PartialFile.exists($0) }) ?? true else { return }
    checkpoint.remove()
  }

  /// The partial file that the checkpoint tells of, where that is not this download's.
  private var foreignPath: String? {
    guard case .state(let resume) = checkpoint?.read(), resume.partialPath != notedPath else { return nil }
    return resume.partialPath
  }
}
