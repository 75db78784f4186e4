extension DownloadState {
  /// What there is of a file, and what tells whether it is still the same.
  struct Beginning {
    let partial: PartialFile
    let validator: EntityValidator
    let total: Int64?
  }

  /// Puts aside what there is of the file, for what the server sends in its place may be no file but a page that is refused.
  ///
  /// What nothing goes on with, and what has not been accepted itself, is removed.
  mutating func putAside() {
    guard let partial else { return }
    if previous == nil, partial.length > 0, let validator {
      previous = Beginning(partial: partial, validator: validator, total: total)
    } else {
      partial.remove()
    }
    self.partial = nil
    validator = nil
    total = nil
  }

  /// Takes it up again in the place of what has come since; false where nothing was put aside.
  @discardableResult
  mutating func takeUpPrevious() -> Bool {
    guard let previous else { return false }
    partial?.remove()
    (partial, validator, total) = (previous.partial, previous.validator, previous.total)
    self.previous = nil
    isNoted = false
    // A checkpoint that cannot be written tells of a file that is gone, and leads to a new beginning.
    try? note()
    return true
  }

  /// Takes back what a refused response has brought: what there was before it is there again, and a file that it began is
  /// gone, so that no later exchange takes it for a beginning.
  mutating func takeBack() {
    if takeUpPrevious() { return }
    if let partial, let asked = attempt.asked, (try? partial.truncate(to: asked)) != nil { return }
    partial?.remove()
    (partial, validator, total) = (nil, nil, nil)
    removeCheckpoint()
  }

  /// Lets go of it, since what has come since takes its place.
  mutating func dropPrevious() {
    previous?.partial.remove()
    previous = nil
  }
}
