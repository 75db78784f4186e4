import Testing

@Suite struct LupineTestingTestsPlaceholder { @Test func empty() {} }
