import LupineCore
public import LupineSession
import LupineSupport

/// The progress of several transfers together, on one line of a terminal.
///
/// The line has the number of transfers that have ended, the sum of the bytes, the rate and the time left. While the
/// length of one transfer is unknown, such as that of one that has not started, the time left is omitted, and the bar
/// and the percentage give each transfer the same weight. A transfer that fails has a line of its own with the error,
/// above the bar; what it lacks does not count, and at the end of all the line has neither bar nor percentage. The line ends when all transfers have ended, with `finish()`, or when the bar is released.
///
/// If the output is not a terminal, the bar writes a line with the first progress and at each further tenth of the
/// expected transfers. If their number is unknown, it writes a line at each tenth and at the end of each transfer.
/// While the length of a transfer is unknown, it also writes a line at every 10 MB.
public final class SharedProgressBar: Sendable {
  fileprivate struct State {
    var sum: ProgressSum
    var isOpen = false
    /// The time of the last drawing.
    var drawn: Duration?
    /// Whether the sum has changed since the last drawing.
    var isStale = false
    /// The greatest step that a line has shown, if the output is not a terminal; `nil` before the first line.
    var step: Step?
  }

  private let title: String
  private let terminal: Terminal
  private let clock: SessionClock
  private let writer: TerminalWriter<State>

  /// Creates a bar, which is drawn with the first progress.
  ///
  /// - Parameters:
  ///   - title: the name of all transfers; control bytes in it are escaped.
  ///   - transfers: how many transfers will be added. Default: unknown, so the line ends whenever all transfers that
  ///     were added have ended.
  ///   - terminal: the output. Default: the standard error.
  ///   - clock: the clock of the rate, and of the interval between two drawings, 0.1 seconds. Default: a
  ///     `ContinuousClock`.
  public init(
    _ title: String = "", transfers: Int? = nil, on terminal: Terminal = .standardError,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.title = title.escapingControls(indentation: "")
    self.terminal = terminal
    self.clock = SessionClock(clock)
    writer = TerminalWriter(State(sum: ProgressSum(expected: transfers))) { terminal.write($0) }
  }

  deinit { finish() }

  /// One transfer of a shared bar.
  public struct Transfer: Sendable {
    fileprivate let bar: SharedProgressBar
    fileprivate let number: Int
    fileprivate let name: String

    /// Adds the current progress to the bar; has no effect after `finish`.
    public func show(_ progress: TransferProgress) { bar.show(progress, of: number) }

    /// Ends the transfer; the bar names the error, if there is one.
    ///
    /// A second call has no effect.
    public func finish(_ error: (any Error)? = nil) { bar.end(self, error) }
  }

  /// Adds a transfer; the bar waits for its `finish`.
  ///
  /// - Parameter name: the name that stands before the transfer's error; control bytes in it are escaped.
  public func add(_ name: String = "") -> Transfer {
    var number = 0
    writer.update { state in
      number = state.sum.add()
      return nil
    }
    return Transfer(bar: self, number: number, name: name.escapingControls(indentation: ""))
  }

  /// Writes a line above the bar, such as the name of a transfer that has ended.
  ///
  /// If the output is not a terminal, the line stands between those of the bar.
  ///
  /// - Parameter line: a text without a line break; control bytes in it are escaped.
  public func write(_ line: String) {
    let now = clock.now()
    let width = lineWidth
    let text = line.escapingControls()
    writer.update { state in
      guard width != nil, state.isOpen else { return text + "\n" }
      return TerminalText.drawing(text) + "\n" + drawing(&state, now, width)
    }
  }

  /// Ends the line, with the latest progress.
  public func finish() {
    let now = clock.now()
    let width = lineWidth
    writer.update { state in
      defer { state.isOpen = false }
      guard state.isOpen else { return nil }
      return (state.isStale ? TerminalText.drawing(line(state, now, width)) : "") + "\n"
    }
  }
}

extension SharedProgressBar {
  private func show(_ progress: TransferProgress, of number: Int) {
    let now = clock.now()
    let width = lineWidth
    writer.update { state in
      state.sum.update(number, with: progress, now: now)
      state.isStale = true
      guard width == nil else { return state.isDue(now) ? drawing(&state, now, width) : nil }
      return state.reachesNextStep() ? line(state, now, nil) + "\n" : nil
    }
  }

  private func end(_ transfer: Transfer, _ error: (any Error)?) {
    let now = clock.now()
    let width = lineWidth
    let failure = error.map { self.failure(of: transfer, $0) }
    writer.update { state in
      guard state.sum.end(transfer.number, hasFailed: error != nil) else { return nil }
      state.isStale = true
      guard width == nil else {
        guard failure != nil || state.sum.isComplete || state.isDue(now) else { return nil }
        return (failure.map { TerminalText.drawing($0) + "\n" } ?? "") + drawing(&state, now, width)
      }
      return (failure.map { $0 + "\n" } ?? "") + (state.reachesNextStep() ? line(state, now, nil) + "\n" : "")
    }
  }

  /// The columns of the line; `nil` if the output is not a terminal.
  private var lineWidth: Int? { terminal.isTerminal ? terminal.width - 1 : nil }

  /// Returns the line as a terminal draws it, which ends if all transfers have ended.
  private func drawing(_ state: inout State, _ now: Duration, _ width: Int?) -> String {
    (state.drawn, state.isStale) = (now, false)
    state.isOpen = !state.sum.isComplete
    return TerminalText.drawing(line(state, now, width)) + (state.isOpen ? "" : "\n")
  }

  private func line(_ state: State, _ now: Duration, _ width: Int?) -> String {
    let sum = state.sum
    return ProgressLine(
      title: title, progress: sum.progress(now: now), transfers: sum.counts, estimate: sum.fractionOfTransfers
    ).text(width: width)
  }

  private func failure(of transfer: Transfer, _ error: any Error) -> String {
    let message = (error as? LupineError)?.message ?? String(describing: error)
    return [title, transfer.name, message.escapingControls(indentation: "")].filter { !$0.isEmpty }
      .joined(separator: ": ")
  }
}

extension SharedProgressBar.State {
  /// Whether the last drawing is at least 0.1 seconds ago, or there is none.
  fileprivate func isDue(_ now: Duration) -> Bool { drawn.map { now - $0 >= .milliseconds(100) } ?? true }

  /// The part of the progress for whose changes a new line is written.
  fileprivate struct Step: Equatable {
    /// The ended transfers, if there are fewer than ten or if their number is unknown; otherwise 0.
    var ended = 0
    var tenths = 0
    /// The tens of millions of bytes, if a length is unknown; otherwise 0.
    var volume: Int64 = 0
  }

  /// Whether to write a line to an output that is not a terminal: at the first progress, and at each further step.
  fileprivate mutating func reachesNextStep() -> Bool {
    let counts = sum.counts
    let progress = sum.progress(now: .zero)
    let reached = Step(
      ended: sum.expected == nil || counts.all < 10 ? counts.ended : 0,
      tenths: Int(sum.fractionOfTransfers * 10), volume: progress.total == nil ? progress.completed / 10_000_000 : 0)
    guard let last = step else {
      step = reached
      return true
    }
    // A transfer that is added makes the fraction smaller, for which no line is written.
    step = Step(
      ended: max(last.ended, reached.ended), tenths: max(last.tenths, reached.tenths),
      volume: max(last.volume, reached.volume))
    return step != last
  }
}

extension SessionRequest {
  /// Adds the download to a bar that several transfers share, and starts the request.
  ///
  /// Call it after the methods that change the request, such as `validate()`. The transfer ends with the request,
  /// before an awaited value is returned.
  ///
  /// - Parameter name: the name that stands before the error of the request.
  @discardableResult
  public func downloadProgressBar(in bar: SharedProgressBar, as name: String = "") -> Self {
    let transfer = bar.add(name)
    downloadProgress(interval: .milliseconds(100)) { transfer.show($0) }
    return end(transfer)
  }

  /// Adds the upload to a bar that several transfers share, and starts the request; see `downloadProgressBar(in:as:)`.
  @discardableResult
  public func uploadProgressBar(in bar: SharedProgressBar, as name: String = "") -> Self {
    let transfer = bar.add(name)
    uploadProgress(interval: .milliseconds(100)) { transfer.show($0) }
    return end(transfer)
  }

  private func end(_ transfer: SharedProgressBar.Transfer) -> Self {
    execution.addOutcomeListener { transfer.finish($0.error) }
    // Starts the request, and ends the transfer if the request had ended before.
    execution.addCompletionHandler { _, outcome in transfer.finish(outcome.error) }
    return self
  }
}
