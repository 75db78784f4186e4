import Foundation
import Glibc
import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import LupineTransfers
import Testing

@testable import LupineObservability

@Suite struct SharedProgressBarTests {
  /// Runs the body with a pipe, and returns the lines that were written into it.
  private func lines(_ body: (Terminal) async throws -> Void) async throws -> [String] {
    let pipe = Pipe()
    try await body(Terminal(descriptor: pipe.fileHandleForWriting.fileDescriptor))
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  /// Runs the body with a terminal of 40 columns, and returns everything that was written to it.
  private func screen(_ body: (Terminal) throws -> Void) throws -> String {
    var (master, slave) = (Int32(-1), Int32(-1))
    var size = winsize(ws_row: 10, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&master, &slave, nil, nil, &size) == 0)
    defer { close(master) }
    do {
      defer { close(slave) }
      try body(Terminal(descriptor: slave, kind: nil))
    }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    var text: [UInt8] = []
    while case let count = read(master, &bytes, bytes.count), count > 0 { text += bytes.prefix(count) }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `a terminal gets one line, with the errors above it, which ends with the last transfer`() throws {
    let clock = TestClock()
    let text = try screen { terminal in
      let bar = SharedProgressBar("all", transfers: 2, on: terminal, clock: clock)
      let (first, second) = (bar.add("a.bin"), bar.add("b\u{1B}[2J"))
      first.show(TransferProgress(completed: 1_000, total: 4_000))
      second.show(TransferProgress(completed: 1_000, total: 4_000))  // within the interval of the first drawing
      clock.advance(by: .seconds(2))
      first.show(TransferProgress(completed: 4_000, total: 4_000))
      first.finish()
      second.finish(LupineError(.connectionLost, "The connection was lost."))
      bar.finish()
    }
    let drawings = text.replacingOccurrences(of: "\u{1B}[K", with: "").replacingOccurrences(of: "\r\n", with: "\n\r")
      .split(separator: "\r").map { String($0) }.filter { $0 != "\n" && !$0.isEmpty }
    #expect(
      drawings == [
        "all  0 of 2   12 %  1.0 kB", "all  0/2 62 % 5.0/8.0 kB 2.5 kB/s 00:02",
        "all: b\\u{1B}[2J: The connection was lost.\n", "all  2 of 2  1 failed  5.0 kB  2.5 kB/s\n",
      ])
  }

  @Test func `a line of the program stands above the bar, or between its lines`() async throws {
    let text = try screen { terminal in
      let bar = SharedProgressBar(transfers: 1, on: terminal, clock: TestClock())
      bar.write("before")
      let transfer = bar.add()
      transfer.show(TransferProgress(completed: 1, total: 2))
      bar.write("a\u{1B}[2J")
      transfer.finish()
    }
    let lines = text.split(separator: "\r\n").map { $0.replacingOccurrences(of: "\u{1B}[K", with: "") }
    #expect(
      lines.map { String($0.split(separator: "\r").last ?? "") } == [
        "before", "a\\u{1B}[2J", "[##########]  1 of 1  100 %  1 B of 1 B",
      ])
    let written = try await self.lines { terminal in
      let bar = SharedProgressBar(transfers: 1, on: terminal, clock: TestClock())
      let transfer = bar.add()
      transfer.show(TransferProgress(completed: 1, total: 2))
      bar.write("between")
      transfer.finish()
    }
    #expect(written.count == 3)
    #expect(written[1] == "between")
  }

  @Test func `a terminal of 40 columns keeps the time left`() throws {
    let clock = TestClock()
    let text = try screen { terminal in
      let bar = SharedProgressBar(transfers: 100, on: terminal, clock: clock)
      let transfers = (0..<100).map { _ in bar.add() }
      for transfer in transfers { transfer.show(TransferProgress(completed: 0, total: 15_000_000)) }
      clock.advance(by: .seconds(100))
      for transfer in transfers.prefix(10) {
        transfer.show(TransferProgress(completed: 15_000_000, total: 15_000_000))
        transfer.finish()
      }
      bar.finish()
    }
    #expect(text.hasSuffix("\r10/100 10% 150MB/1.5GB 1.5MB/s 15:00\u{1B}[K\r\n"))
  }

  @Test func `the bar and the percentage count the transfers while a length is unknown`() throws {
    let clock = TestClock()
    let text = try screen { terminal in
      let bar = SharedProgressBar(transfers: 10, on: terminal, clock: clock)
      let transfers = (0..<10).map { _ in bar.add() }
      transfers[0].show(TransferProgress(completed: 50, total: 100))
      clock.advance(by: .milliseconds(100))
      transfers[1].show(TransferProgress(completed: 100, total: 100))
    }
    #expect(text.contains("[---------------]  0 of 10    5 %  50 B\u{1B}"))
    #expect(text.contains("[##------------]  0 of 10   15 %  150 B\u{1B}"))
  }

  @Test func `ends are drawn at most every 0.1 seconds, and the last one at once`() throws {
    let text = try screen { terminal in
      let bar = SharedProgressBar(transfers: 100, on: terminal, clock: TestClock())
      for _ in 0..<100 { bar.add().finish() }
    }
    #expect(text.split(separator: "\u{1B}[K").count { $0.contains(" of ") } == 2)
    #expect(text.contains(" 1 of 100 "))
    #expect(text.contains("100 of 100  "))
  }

  @Test func `a line that is ended early shows the latest progress`() throws {
    let text = try screen { terminal in
      let bar = SharedProgressBar(transfers: 3, on: terminal, clock: TestClock())
      for _ in 0..<2 { bar.add().finish() }
      bar.finish()
    }
    #expect(text.contains("2 of 3 "))
    #expect(text.hasSuffix("\u{1B}[K\r\n"))
  }

  @Test func `an output that is no terminal gets a line for each end, and each error`() async throws {
    let lines = try await lines { terminal in
      let bar = SharedProgressBar("all", on: terminal, clock: TestClock())
      let transfers = [bar.add("a"), bar.add("b")]
      for transfer in transfers { transfer.show(TransferProgress(completed: 5, total: 5)) }
      transfers[0].finish(LupineError(.connectionLost, "The connection was lost."))
      transfers[0].finish()
      transfers[1].finish()
    }
    #expect(
      lines == [
        "all  0 of 2   50 %  5 B", "all  0 of 2  100 %  10 B of 10 B",
        "all: a: The connection was lost.", "all  1 of 2  1 failed  10 B",
        "all  2 of 2  1 failed  10 B",
      ])
  }

  @Test func `many transfers write a line into a log at the first end and at each tenth`() async throws {
    let lines = try await lines { terminal in
      let bar = SharedProgressBar(transfers: 100, on: terminal, clock: TestClock())
      for _ in 0..<100 { bar.add().finish() }
    }
    #expect(lines.count == 11)
    #expect(lines.last?.hasPrefix("100 of 100") == true)
  }

  @Test func `downloads of a session share a bar`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/good", .data(Data(count: 500)))
    mock.stub(.get, "/bad", .status(.notFound))
    let clock = ImmediateClock()
    let session = try Session.Builder().transport(mock).clock(clock).baseURL("https://example.com").build()
    let lines = try await lines { terminal in
      let bar = SharedProgressBar(transfers: 2, on: terminal, clock: clock)
      let good = session.request("good").validate().downloadProgressBar(in: bar, as: "good")
      _ = try await good.serializingData().value
      terminal.write("good has ended\n")
      let bad = session.request("bad").validate().downloadProgressBar(in: bar, as: "bad")
      #expect(await bad.serializingData().response.error?.kind == .unacceptableStatusCode(404))
      terminal.write("bad has ended\n")
      await session.finishRequests()
    }
    try #require(lines.count == 6)
    #expect(lines[0].contains("0 of 2"))
    #expect(lines[1].contains("1 of 2"))
    #expect(lines[2] == "good has ended")
    #expect(lines[3].hasPrefix("bad: "))
    #expect(lines[4] == "2 of 2  1 failed  500 B")
    #expect(lines[5] == "bad has ended")
  }

  @Test func `a log shows the progress of transfers that have not ended`() async throws {
    let lines = try await lines { terminal in
      let bar = SharedProgressBar(transfers: 2, on: terminal, clock: TestClock())
      let (first, second) = (bar.add(), bar.add())
      for percent in 0...100 {
        for transfer in [first, second] { transfer.show(TransferProgress(completed: Int64(percent), total: 100)) }
      }
    }
    #expect(lines.count == 11)
    #expect(lines.first?.contains("0 of 2    0 %  0 B") == true)
    #expect(lines.last?.contains("0 of 2  100 %") == true)
  }

  @Test func `a log shows the bytes of transfers whose length is unknown`() async throws {
    let lines = try await lines { terminal in
      let bar = SharedProgressBar(on: terminal, clock: TestClock())
      let transfer = bar.add()
      for count in 0...35 { transfer.show(TransferProgress(completed: Int64(count) * 1_000_000, total: nil)) }
      transfer.finish()
    }
    let bytes = lines.compactMap { $0.split(separator: "  ").last.map(String.init) }
    #expect(bytes == ["0 B", "10.0 MB", "20.0 MB", "30.0 MB", "35.0 MB of 35.0 MB"])
  }

  @Test func `a request that is cancelled before its start ends its transfer`() async throws {
    let session = try Session.Builder().transport(MockTransport()).startsImmediately(false)
      .baseURL("https://example.com").build()
    let lines = try await lines { terminal in
      let bar = SharedProgressBar(transfers: 1, on: terminal, clock: TestClock())
      session.request("good").downloadProgressBar(in: bar, as: "good").cancel()
      await session.finishRequests()
    }
    #expect(lines.first?.hasPrefix("good: ") == true)
    #expect(lines.last == "1 of 1  1 failed  0 B")
  }

  @Test func `uploads of a session share a bar`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/files", .text("ok"))
    let clock = ImmediateClock()
    let session = try Session.Builder().transport(mock).clock(clock).baseURL("https://example.com").build()
    let lines = try await lines { terminal in
      let bar = SharedProgressBar(transfers: 2, on: terminal, clock: clock)
      for name in ["first", "second"] {
        let upload = session.upload(Data(count: 250), to: "files").validate().uploadProgressBar(in: bar, as: name)
        _ = try await upload.serializingData().value
      }
    }
    #expect(lines.first?.contains("0 of 2") == true)
    #expect(lines.last?.contains("2 of 2  100 %  500 B of 500 B") == true)
  }
}
