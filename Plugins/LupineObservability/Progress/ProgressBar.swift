public import LupineCore
import Synchronization

/// A transfer's progress on one line of a terminal, drawn anew with each figure.
///
/// Where the output is no terminal, as in a log, it writes a line at each tenth of the way instead. The line ends when the
/// whole has been transferred, with `finish()`, or when the bar is let go.
public final class ProgressBar: Sendable {
  fileprivate struct State {
    var isOpen = false
    var tenths = -1
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
        terminal.write(ProgressLine(title: title, progress: progress).text(width: nil) + "\n")
      }
    }
  }

  /// Ends the line, where one is drawn.
  public func finish() {
    state.withLock { state in
      if state.isOpen { terminal.write("\n") }
      state.isOpen = false
    }
  }
}

extension ProgressBar.State {
  /// Whether another tenth of the way lies behind; of unknown ways another 10 MB.
  fileprivate mutating func pass(_ progress: TransferProgress) -> Bool {
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
