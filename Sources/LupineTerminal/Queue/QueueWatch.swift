#if Terminal
  import ArgumentParser
  import LupineTransferQueue

  /// `lupine queue list`.
  struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Prints the transfers in the order in which they were added, and why they failed.")
    @OptionGroup var folder: QueueFolderOption

    func run() async throws {
      let (transfers, events) = try await folder.open { (try await $0.transfers, try await $0.unacknowledgedEvents) }
      QueueTable(transfers: transfers).lines.forEach { print($0) }
      for event in events {
        guard case .failed(let failure) = event.kind else { continue }
        print("\(event.transfer) failed: \(ControlEscaper.line(failure.message))")
      }
    }
  }

  /// `lupine queue watch`.
  struct QueueWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "watch", abstract: "Shows the transfers while they run.",
      discussion: """
        On a terminal it redraws a table; otherwise it prints a line for each change of a state. It ends when no transfer \
        waits for its turn or runs, and with exit code 1 if nothing runs the folder.
        """)
    @OptionGroup var folder: QueueFolderOption

    func run() async throws {
      try await folder.open { queue in
        var screen = QueueScreen()
        for await transfers in queue.updates {
          try screen.show(transfers)
          let isBusy = transfers.contains { [.waiting, .running, .waitingForNetwork].contains($0.state) }
          if !isBusy { return }
        }
        throw CommandFailure(
          "Nothing runs the transfers of \(folder.at.debugDescription). "
            + "A runner starts with: lupine queue start --at \(folder.at)")
      }
    }
  }

  /// What `watch` has shown.
  private struct QueueScreen {
    private let size = TerminalSize.ofOutput
    private var drawn = 0
    private var states: [TransferID: TransferState] = [:]

    mutating func show(_ transfers: [TransferSnapshot]) throws {
      if let size { try draw(QueueTable(transfers: transfers).lines, size) } else { try printChanges(transfers) }
    }

    /// Draws the table over the one before.
    private mutating func draw(_ lines: [String], _ size: TerminalSize) throws {
      var shown = lines.prefix(max(2, size.rows - 2)).map { String($0.prefix(size.columns - 1)) }
      if lines.count > shown.count { shown.append("… and \(lines.count - shown.count) more") }
      let up = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
      try StandardOutput.output.write("\(up)\r\u{1B}[J" + shown.joined(separator: "\n") + "\n")
      drawn = shown.count
    }

    private mutating func printChanges(_ transfers: [TransferSnapshot]) throws {
      for transfer in transfers where states[transfer.id] != transfer.state {
        states[transfer.id] = transfer.state
        try StandardOutput.output.write(QueueTable.line(transfer) + "\n")
      }
      let left = Set(transfers.map(\.id))
      for id in states.keys.filter({ !left.contains($0) }).sorted() {
        states[id] = nil
        try StandardOutput.output.write("\(id) gone\n")
      }
    }
  }
#endif
