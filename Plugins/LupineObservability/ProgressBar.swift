import LupineCore
public import LupineSession
import LupineSupport

/// A transfer's progress on one line of a terminal, redrawn with each update.
///
/// The rate and the time left are shown after the first second. A narrow terminal keeps the figures, in a shorter form,
/// and loses the bar. The line ends when the transfer is complete, with `finish()`, or when the bar is released.
///
/// If the output is not a terminal, such as a log file, the bar writes a line at each tenth of the transfer and one at
/// the end.
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
  private let writer: TerminalWriter<State>

  /// Creates a bar, which is drawn with the first progress.
  ///
  /// - Parameters:
  ///   - title: the name of the transfer; control bytes in it are escaped.
  ///   - terminal: the output. Default: the standard error.
  public init(_ title: String = "", on terminal: Terminal = .standardError) {
    self.title = title.escapingControls(indentation: "")
    self.terminal = terminal
    writer = TerminalWriter(State()) { terminal.write($0) }
  }

  deinit { finish() }

  /// Draws the current progress; for use with `downloadProgress` and `uploadProgress`.
  public func show(_ progress: TransferProgress) {
    guard terminal.isTerminal else {
      let line = line(progress, width: nil)
      return writer.update { $0.shouldWrite(progress) ? line + "\n" : nil }
    }
    let isComplete = progress.total == progress.completed
    let drawing = TerminalText.drawing(line(progress, width: terminal.width - 1))
    writer.update { state in
      state.isOpen = !isComplete
      return drawing + (isComplete ? "\n" : "")
    }
  }

  private func line(_ progress: TransferProgress, width: Int?) -> String {
    ProgressLine(title: title, progress: progress).text(width: width)
  }

  /// Ends the line; if the output is not a terminal, writes the last progress that no line shows.
  public func finish() {
    writer.update { state in
      defer { (state.isOpen, state.unreported) = (false, nil) }
      return state.isOpen ? "\n" : state.unreported.map { line($0, width: nil) + "\n" }
    }
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
    execution.addOutcomeListener { _ in bar.finish() }
    return downloadProgress(interval: .milliseconds(100)) { bar.show($0) }
  }

  /// Draws the upload's progress on a terminal, at most ten times a second.
  @discardableResult
  public func uploadProgressBar(_ title: String = "", on terminal: Terminal = .standardError) -> Self {
    let bar = ProgressBar(title, on: terminal)
    execution.addOutcomeListener { _ in bar.finish() }
    return uploadProgress(interval: .milliseconds(100)) { bar.show($0) }
  }
}
