import LupineSession

#if Configuration
  import Foundation
  @testable import LupineConfiguration
  import Testing

  @Suite struct SettingKeyTests {
    @Test func `the guide has a row for every key, and for no other`() throws {
      let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let guide = checkout.appending(path: "Sources/Lupine/Documentation.docc/Configuration.md")
      let rows = try String(contentsOf: guide, encoding: .utf8).matches(of: /\n\| `([\w.]+)` \|/)
      #expect(rows.map { String($0.output.1) } == SettingKey.allCases.map(\.rawValue))
    }
  }
#endif
