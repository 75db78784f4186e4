#if Terminal
  import LupineObservability
  import LupineSession
  import Synchronization

  /// The progress of one request on the terminal of the standard error.
  ///
  /// The line appears at more than 1 MiB, or after a second. It is drawn at most ten times a second.
  final class ProgressDisplay: Sendable {
    private struct State {
      /// The last progress that is not drawn.
      var pending: TransferProgress?
      var drawn: ContinuousClock.Instant?
      var hasEnded = false
    }

    private let bar: ProgressBar
    private let start = ContinuousClock.now
    /// It is locked while the line is written, so that no line follows the end.
    private let state = Mutex(State())

    private static let smallest: Int64 = 1 << 20
    private static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(100)

    init(_ title: String) { bar = ProgressBar(title) }

    func show(_ progress: TransferProgress) {
      state.withLock { state in
        guard !state.hasEnded else { return }
        let now = ContinuousClock.now
        let isLarge = (progress.total ?? progress.completed) > Self.smallest
        let isDue = state.drawn.map { now - $0 >= Self.interval } ?? (isLarge || now - start >= Self.delay)
        state.pending = isDue ? nil : progress
        guard isDue else { return }
        state.drawn = now
        bar.show(progress)
      }
    }

    /// Ends the line, so that another text can be written.
    func endLine() { state.withLock { _ in bar.finish() } }

    /// Ends the line with the last progress; later calls of `show` have no effect.
    func end() {
      state.withLock { state in
        guard !state.hasEnded else { return }
        state.hasEnded = true
        if state.drawn != nil, let pending = state.pending { bar.show(pending) }
        bar.finish()
      }
    }
  }

  /// The progress of content that the program receives and writes.
  struct DownloadDisplay {
    private let display = ProgressDisplay("download")
    private let length: Int64?
    private let start = ContinuousClock.now
    private var completed: Int64 = 0

    /// - Parameter length: the length of the content; `nil` if it is unknown.
    init(length: Int64?) { self.length = length }

    /// Adds written bytes.
    mutating func add(_ count: Int) {
      completed += Int64(count)
      let elapsed = ContinuousClock.now - start
      let rate = elapsed > .zero ? Double(completed) / (elapsed / .seconds(1)) : 0
      display.show(TransferProgress(completed: completed, total: length, throughput: rate, elapsed: elapsed))
    }

    func end() { display.end() }
  }
#endif
