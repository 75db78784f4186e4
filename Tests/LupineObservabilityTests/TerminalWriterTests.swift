import Synchronization
import Testing

@testable import LupineObservability

@Suite struct TerminalWriterTests {
  /// Collects the texts of a writer; the first one changes the writer's state, as another thread could.
  private final class Screen: Sendable {
    let lines: [String]
    let texts = Mutex<[String]>([])
    let writer = Mutex<TerminalWriter<Int>?>(nil)

    init(_ lines: [String] = []) { self.lines = lines }

    func write(_ text: String) {
      let isFirst = texts.withLock { texts in
        texts.append(text)
        return texts.count == 1
      }
      guard isFirst, let writer = writer.withLock({ $0 }) else { return }
      for line in lines { writer.update { _ in line } }
    }
  }

  @Test func `no lock is held while a text is written, and later texts follow in order`() {
    let screen = Screen(["\ra", "\rb", "\rc\n", "\rd", "\n"])
    let writer = TerminalWriter(0) { screen.write($0) }
    screen.writer.withLock { $0 = writer }
    writer.update { _ in "\rfirst" }
    // A drawing that a later one overwrites is left out; a line that has ended is not.
    #expect(screen.texts.withLock { $0 } == ["\rfirst", "\rc\n", "\rd", "\n"])
    screen.writer.withLock { $0 = nil }
  }

  @Test func `a line that has ended is written even if a drawing follows it in the same text`() {
    let screen = Screen(["\ra", "\rfailure\n\rbar", "\rd"])
    let writer = TerminalWriter(0) { screen.write($0) }
    screen.writer.withLock { $0 = writer }
    writer.update { _ in "\rfirst" }
    #expect(screen.texts.withLock { $0 } == ["\rfirst", "\rfailure\n\rbar", "\rd"])
    screen.writer.withLock { $0 = nil }
  }

  @Test func `a change without a text writes nothing`() {
    let screen = Screen()
    let writer = TerminalWriter(0) { screen.write($0) }
    writer.update { state in
      state += 1
      return nil
    }
    writer.update { "\($0)" }
    #expect(screen.texts.withLock { $0 } == ["1"])
  }
}
