#if Terminal
  /// A secret of the command line: in a file (`@path`), on the standard input (`@-`), in a variable of the environment
  /// (`env:NAME`), or as it is.
  struct SecretText {
    let text: String
    /// Whether the secret stands in the arguments, which other users of the machine can read.
    let isExposed: Bool

    /// - Throws: `CommandFailure` if the file or the variable cannot be read, or is empty.
    init(_ argument: String, option: String) throws {
      if argument == "@-" {
        text = InputFiles.withoutBlanks(try StandardInput.text())
        isExposed = false
      } else if argument.hasPrefix("@") {
        text = try InputFiles.line(String(argument.dropFirst()), .fileFailed)
        isExposed = false
      } else if argument.hasPrefix("env:") {
        text = StandardOutput.variable(String(argument.dropFirst(4))) ?? ""
        isExposed = false
      } else {
        text = argument
        isExposed = true
      }
      guard !text.isEmpty else {
        throw CommandFailure(
          "\(option): \(argument.debugDescription) has no content. Name a file or a variable that has the secret.",
          .usage)
      }
    }

    /// Warns if other users can read the secret in the arguments.
    func warn(_ option: String) {
      guard isExposed else { return }
      Message.warn(
        "other users of this machine can read the secret of \(option) in the list of processes; "
          + "write \(option) @FILE or \(option) env:NAME.")
    }
  }
#endif
