/// What happens when the rest of an interrupted download cannot be had.
///
/// It is chosen where resume data or a checkpoint are given, and where a download is told to go on by itself; `fail` holds
/// for the whole download, wherever it was chosen.
public enum ResumePolicy: Sendable, Hashable {
  /// The download begins anew, and what there was of the file is lost.
  case restart
  /// The download fails with kind `resumeFailed`; what there was of the file, and its checkpoint, stay as they were.
  case fail
}
