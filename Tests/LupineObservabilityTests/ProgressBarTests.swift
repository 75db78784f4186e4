import Foundation
import Glibc
import LupineCore
import LupineSession
import Testing

@testable import LupineObservability

@Suite struct ProgressBarTests {
  private static func line(
    _ completed: Int64, _ total: Int64?, _ throughput: Double = 0, title: String = "big.bin", width: Int? = 79
  ) -> String {
    ProgressLine(title: title, progress: TransferProgress(completed: completed, total: total, throughput: throughput))
      .text(width: width)
  }

  @Test func `a line has the part, the bytes, the speed and the time left`() {
    #expect(
      Self.line(43_000_000, 100_000_000, 1_500_000)
        == "big.bin  [########------------]   43 %  43.0 MB of 100 MB  1.5 MB/s  00:38 left")
    #expect(Self.line(5, nil, title: "") == "5 B")
    #expect(Self.line(0, 0).contains("100 %"))
    #expect(Self.line(1, 1_000_000_000, 100).contains("99:59:59 left"))
  }

  @Test(
    arguments: [
      (43_000_000, 100_000_000, 1_500_000, "big.bin  43% 43.0/100MB 1.5MB/s 00:38"),
      (99_900_000, 99_900_000_000, 280_000, "big.bin  0% 99.9MB/99.9GB 99:00:29"),
      (999_000, 2_000_000_000, 99_900, "big.bin  0% 999kB/2.0GB 5:33:31"),
      (5, nil, 99, "big.bin  5 B  99 B/s"),
    ] as [(Int64, Int64?, Double, String)])
  func `a terminal of 40 columns keeps the title, the percentage and the time left`(
    completed: Int64, total: Int64?, rate: Double, line: String
  ) {
    #expect(Self.line(completed, total, rate, width: 39) == line)
  }

  @Test(arguments: [(39, "10/100 12 failed 0% 99:59:59"), (27, "10/100 12 failed 0%"), (12, "10/100")])
  func `figures are left out, and the time left is kept in 40 columns`(width: Int, text: String) {
    let progress = TransferProgress(completed: 99_900_000, total: 99_900_000_000_000, throughput: 99_900_000)
    let line = ProgressLine(title: "", progress: progress, transfers: (10, 100, 12))
    #expect(line.text(width: width) == text)
  }

  @Test(arguments: [(0, false), (999, false), (1_000, true)])
  func `the rate and the time left come after a second`(milliseconds: Int, isShown: Bool) {
    let progress = TransferProgress(
      completed: 50, total: 100, throughput: 50, elapsed: .milliseconds(milliseconds))
    let line = ProgressLine(title: "", progress: progress).text(width: nil)
    #expect(line.contains("/s") == isShown)
    #expect(line.contains("left") == isShown)
  }

  @Test func `a long title is shortened to a third of the line`() {
    #expect(
      Self.line(43_000_000, 100_000_000, 1_500_000, title: "ubuntu-24.04.3-desktop-amd64.iso", width: 39)
        == "ubuntu-24.04.3-d…  43% 43.0/100MB 00:38")
  }

  @Test(arguments: [0, 1, 5, 19, 20, 21, 40, 60, 300])
  func `a line is never wider than its room`(width: Int) {
    #expect(Self.line(43_000_000, 100_000_000, 1_500_000, width: width).count <= width)
  }

  @Test(arguments: [
    (20, "big.bin  43%"), (8, "bi…  43%"), (5, "43%"), (24, "big.bin  43% 43.0/100MB"), (2, "b…"),
    (15, "43% 43.0/100MB"), (16, "43 % 43.0/100 MB"),
  ])
  func `a figure that does not fit is shorter or left out completely`(width: Int, line: String) {
    #expect(Self.line(43_000_000, 100_000_000, width: width) == line)
  }

  @Test(arguments: [
    ("\u{6F22}\u{5B57}.zip", 8), ("cafe\u{301}", 4), ("\u{1F4E6}", 2), ("\u{1F1E9}\u{1F1EA}", 2),
    ("\u{2764}\u{FE0F}", 2),
    ("\u{D55C}", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("a\u{200B}b", 2), ("\u{FF21}", 2),
  ])
  func `a title takes as many columns as a terminal gives it`(title: String, columns: Int) {
    #expect(title.columns == columns)
    #expect(title.prefix(columns: columns) == title)
    #expect(title.prefix(columns: columns - 1).columns < columns)
  }

  @Test(arguments: [10, 20, 33, 40, 79]) func `a line with a wide title fits its room`(width: Int) {
    let line = Self.line(43, 100, 10, title: String(repeating: "\u{6F22}", count: 60), width: width)
    #expect(line.unicodeScalars.reduce(0) { $0 + ($1 == "\u{6F22}" ? 2 : 1) } <= width)
    #expect(line.contains(width < 79 ? "43%" : "43 %"))
  }

  @Test(
    arguments: [
      ([nil, nil, nil], ["0 B", "5 B"]), ([nil, nil, 5], ["0 B", "100 %  5 B of 5 B"]),
      ([9, 9, 9], ["0 %  0 B of 9 B", "33 %  3 B of 9 B", "55 %  5 B of 9 B"]),
    ] as [([Int64?], [String])])
  func `an output that is no terminal gets the last value, whatever the length`(totals: [Int64?], lines: [String])
    throws
  {
    let pipe = Pipe()
    let bar = ProgressBar(on: Terminal(descriptor: pipe.fileHandleForWriting.fileDescriptor))
    for (completed, total) in zip([0, 3, 5] as [Int64], totals) {
      bar.show(TransferProgress(completed: completed, total: total))
    }
    bar.finish()
    bar.finish()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.split(separator: "\n").map { $0.drop { $0 == " " } } == lines.map { $0[...] })
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (99_949, "99.9 kB"), (99_950, "100 kB"), (999_499, "999 kB"),
    (999_500, "1.0 MB"), (5e15, "5000 TB"),
  ])
  func `bytes have one to three digits`(bytes: Double, text: String) {
    #expect(ProgressLine.size(bytes).text == text)
  }

  @Test func `an output that is no terminal gets a line at each tenth`() throws {
    let pipe = Pipe()
    let bar = ProgressBar("a\u{1B}[2J", on: Terminal(descriptor: pipe.fileHandleForWriting.fileDescriptor))
    for completed in 0...100 { bar.show(TransferProgress(completed: Int64(completed), total: 100)) }
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 11)
    #expect(!text.contains("\u{1B}"))
  }

  @Test func `a terminal gets one line, which is redrawn and ended once`() throws {
    var (master, slave) = (Int32(-1), Int32(-1))
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    defer { close(master) }
    do {
      let bar = ProgressBar("x", on: Terminal(descriptor: slave, kind: nil))
      bar.show(TransferProgress(completed: 1, total: 4))
      bar.show(TransferProgress(completed: 2, total: 4))
    }
    close(slave)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    var text = ""
    // `read` returns the bytes that are available, and fails when the other end of the terminal is closed.
    while case let count = read(master, &bytes, bytes.count), count > 0 {
      text += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    #expect(text.filter { $0 == "\r" || $0 == "\r\n" }.count == 3)
    #expect(text.contains("50 %"))
    #expect(text.hasSuffix("\u{1B}[K\r\n"))
  }
}
