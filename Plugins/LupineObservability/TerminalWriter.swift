import Synchronization

/// A state whose changes produce texts for a terminal.
///
/// The texts are written in the order of the changes, by one thread at a time and without the lock. A thread that
/// changes the state while another one writes does not wait: the other one writes the text.
final class TerminalWriter<State: Sendable>: Sendable {
  private struct Content {
    var state: State
    var texts: [String] = []
    var isWriting = false
  }

  private let content: Mutex<Content>
  private let write: @Sendable (String) -> Void

  init(_ state: State, write: @escaping @Sendable (String) -> Void) {
    content = Mutex(Content(state: state))
    self.write = write
  }

  /// Changes the state, and writes the text that the change returns.
  func update(_ change: (inout State) -> String?) {
    let mustWrite = content.withLock { content in
      guard let text = change(&content.state) else { return false }
      // A line that is not on the terminal yet is not drawn if it would be overwritten.
      if text.hasPrefix("\r"), let last = content.texts.last, TerminalText.isDrawing(last) {
        content.texts.removeLast()
      }
      content.texts.append(text)
      defer { content.isWriting = true }
      return !content.isWriting
    }
    guard mustWrite else { return }
    while let text = next() { write(text) }
  }

  private func next() -> String? {
    content.withLock { content in
      content.isWriting = !content.texts.isEmpty
      return content.isWriting ? content.texts.removeFirst() : nil
    }
  }
}

/// Control sequences for a terminal that can redraw a line.
enum TerminalText {
  /// Moves to the start of the line, writes a text, and clears the rest of an earlier, longer one.
  static func drawing(_ line: String) -> String { "\r\(line)\u{1B}[K" }

  /// Whether the text only draws the current line, so a later drawing may replace it; a line that ends must remain.
  static func isDrawing(_ text: String) -> Bool { text.hasPrefix("\r") && !text.utf8.contains(UInt8(ascii: "\n")) }
}
