import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// A transfer's progress on one line of a terminal, redrawn with each update.
///
/// If the output is not a terminal, such as a log file, the bar writes a line at each tenth of the transfer and one at
/// the end. The line ends when the transfer is complete, with `finish()`, or when the bar is released.
public final class ProgressBar: Sendable {
  fileprivate struct State {
    var isOpen = false
    var tenths = -1
    var hasEnded = false
    /// The latest progress that no line shows, if the output is not a terminal.
    var unreported: TransferProgress?
  }

  private let title: String
  private let terminal: Terminal
  private let state = Mutex(State())

  /// Creates a bar, which is drawn with the first progress.
  ///
  /// - Parameters:
  ///   - title: the name of the transfer; control bytes in it are escaped.
  ///   - terminal: the output. Default: the standard error.
  public init(_ title: String = "", on terminal: Terminal = .standardError) {
    self.title = title.escapingControls(indentation: "")
    self.terminal = terminal
  }

  deinit { finish() }

  /// Draws the current progress; for use with `downloadProgress` and `uploadProgress`.
  public func show(_ progress: TransferProgress) {
    let isComplete = progress.total == progress.completed
    if terminal.isTerminal {
      state.withLock { $0.isOpen = !isComplete }
      let line = ProgressLine(title: title, progress: progress).text(width: terminal.width - 1)
      // Moves to the start of the line, and clears the rest of an earlier, longer line.
      terminal.write("\r\(line)\u{1B}[K" + (isComplete ? "\n" : ""))
    } else if state.withLock({ $0.shouldWrite(progress) }) {
      write(progress)
    }
  }

  private func write(_ progress: TransferProgress) {
    terminal.write(ProgressLine(title: title, progress: progress).text(width: nil) + "\n")
  }

  /// Ends the line; if the output is not a terminal, writes the last progress that no line shows.
  public func finish() {
    let (isOpen, unreported) = state.withLock { state in
      defer { (state.isOpen, state.unreported) = (false, nil) }
      return (state.isOpen, state.unreported)
    }
    if isOpen { terminal.write("\n") }
    if let unreported { write(unreported) }
  }
}

extension ProgressBar.State {
  /// Whether to write a line: at each tenth of the transfer and at its end, or at every 10 MB if the total is unknown.
  fileprivate mutating func shouldWrite(_ progress: TransferProgress) -> Bool {
    let isReported = reachesNextStep(progress)
    unreported = isReported || hasEnded ? nil : progress
    return isReported
  }

  private mutating func reachesNextStep(_ progress: TransferProgress) -> Bool {
    if progress.total == progress.completed {
      defer { hasEnded = true }
      return !hasEnded
    }
    let reached =
      progress.total == nil ? Int(clamping: progress.completed / 10_000_000) : Int(progress.fractionCompleted * 10)
    guard reached > tenths else { return false }
    tenths = reached
    return true
  }
}

extension SessionRequest {
  /// Draws the download's progress on a terminal, at most ten times a second.
  @discardableResult
  public func downloadProgressBar(_ title: String = "", on terminal: Terminal = .standardError) -> Self {
    let bar = ProgressBar(title, on: terminal)
    return downloadProgress(interval: .milliseconds(100)) { bar.show($0) }
  }

  /// Draws the upload's progress on a terminal, at most ten times a second.
  @discardableResult
  public func uploadProgressBar(_ title: String = "", on terminal: Terminal = .standardError) -> Self {
    let bar = ProgressBar(title, on: terminal)
    return uploadProgress(interval: .milliseconds(100)) { bar.show($0) }
  }
}
