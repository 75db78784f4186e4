import LupineCore

extension DownloadState {
  /// Takes up what a checkpoint says of this URL; one of another URL says nothing.
  mutating func take(_ checkpoint: Checkpoint, of url: String?) {
    self.checkpoint = checkpoint
    guard partial == nil else { return }
    switch checkpoint.read() {
    case .nothing: break
    case .empty, .unusable: obstacle = checkpoint.refusal
    case .state(let resume):
      guard resume.url == url else { return }
      take(resume)
      isNoted = partial?.path == resume.partialPath
    }
  }

  /// Keeps in the checkpoint what goes on with the file, where that is not known there.
  ///
  /// What is not this download's stays, and this one has no checkpoint, as a warning says.
  mutating func note() throws(LupineError) {
    guard let checkpoint, !isNoted else { return }
    if let foreign = foreignContent {
      exchange.decisions.append(.warning("\(foreign), so this download has no checkpoint; give each its own"))
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

  /// Removes the checkpoint, where it is this download's to remove.
  func removeCheckpoint() {
    if foreignContent == nil { checkpoint?.remove() }
  }

  /// What is at the checkpoint's path that this download neither overwrites nor removes, in words; `nil` where there is
  /// nothing, what this download wrote or took up, or what nobody can use.
  private var foreignContent: String? {
    guard let checkpoint else { return nil }
    switch checkpoint.read() {
    case .nothing, .empty: return nil
    case .unusable: return checkpoint.refusal
    case .state(let resume):
      guard resume.partialPath != notedPath, resume.isOfUse else { return nil }
      return "another download keeps the checkpoint \(checkpoint.path)"
    }
  }
}
