import LupineCore
public import LupineSession
import LupineSupport
import Synchronization

/// A transfer's progress on one line of a terminal, drawn anew with each figure.
///
/// Where the output is no terminal, as in a log, it writes a line at each tenth of the way instead, and one at the
/// end. The line ends when the whole has been transferred, with `finish()`, or when the bar is let go.
public final class ProgressBar: Sendable {
  fileprivate struct State {
    var isOpen = false
    var tenths = -1
    var hasEnded = false
    /// What has come since the last line, where no line is drawn anew.
    var untold: TransferProgress?
  }

  private let title: String
  private let terminal: Terminal
  private let state = Mutex(State())

  /// A bar that has not been drawn yet.
  ///
  /// - Parameters:
  ///   - title: what is transferred; control bytes in it are escaped.
  ///   - terminal: where it is drawn. Default: the standard error, so that a program's output stays clean.
  public init(_ title: String = "", on terminal: Terminal = .standardError) {
    self.title = title.escapingControls(indentation: "")
    self.terminal = terminal
  }

  deinit { finish() }

  /// Draws the bar as the transfer stands; suits `downloadProgress` and `uploadProgress`.
  public func show(_ progress: TransferProgress) {
    state.withLock { state in
      let isComplete = progress.total == progress.completed
      if terminal.isTerminal {
        let line = ProgressLine(title: title, progress: progress).text(width: terminal.width - 1)
        // Back to the line's beginning, and clear what an earlier, longer one left.
        terminal.write("\r\(line)\u{1B}[K" + (isComplete ? "\n" : ""))
        state.isOpen = !isComplete
      } else if state.pass(progress) {
        write(progress)
      }
    }
  }

  private func write(_ progress: TransferProgress) {
    terminal.write(ProgressLine(title: title, progress: progress).text(width: nil) + "\n")
  }

  /// Ends the line, where one is drawn; where none is, writes the last figure, unless it is written.
  public func finish() {
    state.withLock { state in
      if state.isOpen { terminal.write("\n") }
      state.isOpen = false
      if let untold = state.untold { write(untold) }
      state.untold = nil
    }
  }
}

extension ProgressBar.State {
  /// Whether another tenth of the way lies behind, or all of it; of unknown ways another 10 MB.
  fileprivate mutating func pass(_ progress: TransferProgress) -> Bool {
    let isTold = isNext(progress)
    untold = isTold || hasEnded ? nil : progress
    return isTold
  }

  private mutating func isNext(_ progress: TransferProgress) -> Bool {
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
  /// Draws the download's progress on a terminal, ten times a second at most.
  @discardableResult
  public func downloadProgressBar(_ title: String = "", on terminal: Terminal = .standardError) -> Self {
    let bar = ProgressBar(title, on: terminal)
    return downloadProgress(interval: .milliseconds(100)) { bar.show($0) }
  }

  /// Draws the upload's progress on a terminal, ten times a second at most.
  @discardableResult
  public func uploadProgressBar(_ title: String = "", on terminal: Terminal = .standardError) -> Self {
    let bar = ProgressBar(title, on: terminal)
    return uploadProgress(interval: .milliseconds(100)) { bar.show($0) }
  }
}
