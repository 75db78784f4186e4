#if Terminal
  /// The reason why a command fails, and its exit code.
  struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    let status: ExitStatus

    init(_ description: String, _ status: ExitStatus = .failure) {
      self.description = description
      self.status = status
    }
  }
#endif
