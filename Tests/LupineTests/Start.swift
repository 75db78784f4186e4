import Testing

@Suite struct LupineTestsPlaceholder { @Test func empty() {} }
