import LupineSession

#if Configuration
  @testable import LupineConfiguration
  import Testing

  @Suite struct SettingTextTests {
    @Test(arguments: [
      ("250ms", Duration.milliseconds(250)), ("30s", .seconds(30)), ("1.5 s", .milliseconds(1_500)),
      ("5m", .seconds(300)),
      ("2h", .seconds(7_200)), ("0s", .zero),
    ])
    func `a duration has a number and a unit`(_ text: String, _ duration: Duration) {
      #expect(SettingText.duration(text) == duration)
    }

    @Test(arguments: [
      "", "30", "s", "-1s", "+1s", "1e3s", ".5s", "5.s", "1..5s", "30 S", "30  s", "30sec", "30s ", "inf", "٣s",
    ])
    func `another text is no duration`(_ text: String) {
      #expect(SettingText.duration(text) == nil)
    }

    @Test func `a duration beyond all bounds is a bounded one`() throws {
      let duration = try #require(SettingText.duration(String(repeating: "9", count: 400) + "h"))
      #expect(duration > .seconds(9_000_000_000))
    }

    @Test(
      arguments: [
        ("0", 0), ("512", 512), ("512B", 512), ("64KiB", 65_536), ("1.5 MiB", 1_572_864), ("2GiB", 2_147_483_648),
      ] as [(String, Int64)])
    func `a size is a number of bytes with or without a unit`(_ text: String, _ size: Int64) {
      #expect(SettingText.size(text) == size)
    }

    @Test(arguments: ["", "KiB", "64kb", "64kib", "64 KB", "-1", "1.5", "0.3KiB", "99999999999999999999", "0x10"])
    func `another text is no size`(_ text: String) {
      #expect(SettingText.size(text) == nil)
    }
  }
#endif
