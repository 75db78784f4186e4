/// What happens when the rest of an interrupted download cannot be had.
///
/// It is chosen where resume data or a checkpoint are given, and where a download is told to go on by itself; `fail` holds
/// for the whole download, wherever it was chosen.
public enum ResumePolicy: Sendable, Hashable {
  /// The download begins anew; what there was of the file stays until the new one has been accepted, or can itself be
  /// gone on with.
  case restart
  /// The download fails with kind `resumeFailed`; what there was of the file, and its checkpoint, stay as they were.
  case fail
}
